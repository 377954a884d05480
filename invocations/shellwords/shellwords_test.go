package shellwords

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"sleep", "0.1"}, "sleep 0.1"},
		{[]string{"grep", "-e", "a b", "x*y", ""}, "grep -e 'a b' 'x*y' ''"},
		{[]string{"echo", "it's", "~", "a=b"}, `echo 'it'\''s' '~' a=b`},
		{nil, ""},
	} {
		if got := Line(c.words...); got != c.want {
			t.Errorf("%q: %s, want %s", c.words, got, c.want)
		}
	}
}

// FuzzLine checks that a shell splits the line into the words that it was made of.
func FuzzLine(f *testing.F) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no sh: ", err)
	}
	f.Add("sleep", "0.1")
	f.Add("a'b", "$HOME `x` \\ \"")
	f.Add("#no comment", "two\nlines")
	f.Fuzz(func(t *testing.T, one, two string) {
		words := []string{one, two}
		if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsRune(w, 0) }) {
			t.Skip("no program can be given a word with a zero byte")
		}
		script := `for word in ` + Line(words...) + `; do printf '%s\0' "$word"; done`
		out, err := exec.Command(shell, "-c", script).Output()
		if want := one + "\x00" + two + "\x00"; err != nil || string(out) != want {
			t.Errorf("%q became %q, error %v", want, out, err)
		}
	})
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"ssh host":                     {"ssh", "host"},
		"  srun\t-u  -N1 ":             {"srun", "-u", "-N1"},
		`ssh -o "A=b c" 'it''s' \"x\"`: {"ssh", "-o", "A=b c", "its", `"x"`},
		`a '' b\ c "d\"e\n" 'f\g'`:     {"a", "", "b c", `d"e\n`, `f\g`},
		"  ":                           {},
		"a 'b":                         nil,
		`a "b`:                         nil,
		`a \`:                          nil,
	} {
		got, err := Split(line)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
}

// Split never takes more words out of a line than are in it, and takes apart what Line has made of them.
func FuzzSplit(f *testing.F) {
	f.Add(`ssh -o "A=b c" host`)
	f.Add(`a 'b \" c`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			return
		}
		if got, err := Split(Line(words...)); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q: %q became %q: %v", line, words, got, err)
		}
	})
}
