package tomltext

import (
	"slices"
	"testing"

	"github.com/BurntSushi/toml"
)

func TestKey(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		rest string
	}{
		{"a = 1", []string{"a"}, "= 1"},
		{"\xef\xbb\xbf a . b.'c d' = 1", []string{"a", "b", "c d"}, "= 1"},
		{`"d\te"."" ]`, []string{"d\te", ""}, "]"},
		{"", []string{""}, ""},
	} {
		s := NewScanner(c.text)
		if got := s.Key(); !slices.Equal(got, c.want) || s.Text[s.Pos:] != c.rest {
			t.Errorf("%q: %q, then %q", c.text, got, s.Text[s.Pos:])
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ text, want, rest string }{
		{`"a\"b" x`, `a"b`, " x"},
		{`'a\' x`, `a\`, " x"},
		{`""`, "", ""},
		{`'' x`, "", " x"},
		{"\"\"\"\na\"\"b\"\"\"\"\" x", `a""b""`, " x"},
		{"'''\na\\'b'''' x", `a\'b'`, " x"},
		{`"""a\"""" x`, `a"`, " x"},
		{`"\u0041"`, "A", ""},
	} {
		s := NewScanner(c.text)
		s.SkipString()
		if got := Unquote(c.text[:s.Pos]); got != c.want || c.text[s.Pos:] != c.rest {
			t.Errorf("%s: %q, then %q; want %q, then %q", c.text, got, c.text[s.Pos:], c.want, c.rest)
		}
	}
}

func TestSkip(t *testing.T) {
	s := NewScanner(" # one\n\t#two\r\n , x # three")
	if s.Skip(" \t\r\n,"); s.Peek() != 'x' {
		t.Errorf("at %q", s.Text[s.Pos:])
	}
	if s.SkipUntil("#"); s.Peek() != '#' {
		t.Errorf("at %q", s.Text[s.Pos:])
	}
	if s.SkipLine(); s.Peek() != 0 || s.Pos != len(s.Text) {
		t.Errorf("at %q", s.Text[s.Pos:])
	}
}

// FuzzKey checks that the scanner and the decoder agree on where a key ends and what it says, and that steps end.
func FuzzKey(f *testing.F) {
	for _, text := range []string{"a", `a."b\t".'c'`, "\"\"\"x", "'\n", `"\`, "a # b", "#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := NewScanner(text + " = 1")
		parts := s.Key()
		if s.Pos > len(s.Text) {
			t.Fatalf("at %d of %d", s.Pos, len(s.Text))
		}
		var m map[string]any
		if _, err := toml.Decode(text+" = 1", &m); err != nil || len(m) == 0 || s.Text[s.Pos:] != "= 1" {
			return // no TOML, a comment, or more than a key
		}
		for _, part := range parts {
			next, found := m[part]
			if !found {
				t.Fatalf("%q: %q is not in %v", text, parts, m)
			}
			m, _ = next.(map[string]any)
		}
	})
}

// FuzzStatements checks that the scanner and the TOML reader agree on where values begin and end.
func FuzzStatements(f *testing.F) {
	f.Add("[dependencies] # x\nlink_target = 'a.so'\n[functions.\"f g\"]\narguments = [\n  {name = \"\"},\n]\n")
	f.Add("a.'b c'.\"d\\te\" = [ 1, # x\n \"]\", '''\n]''' ] # y\r\n[[t]]\r\nx = { y = 1 }\n")
	f.Add("# no newline")
	f.Fuzz(func(t *testing.T, text string) {
		statements := Statements(text)
		if _, err := toml.Decode(text, new(map[string]any)); err != nil {
			return
		}
		for _, s := range statements {
			if s.Header {
				continue
			}
			var m map[string]any
			if _, err := toml.Decode("x = "+text[s.ValueFrom:s.ValueTo], &m); err != nil || len(m) != 1 {
				t.Errorf("%q of %q is no value: %v", text[s.ValueFrom:s.ValueTo], s.Key, err)
			}
			for _, v := range s.Strings(text) {
				one := "x = " + text[v.From:v.To]
				if _, err := toml.Decode(one, new(struct{ X string })); err != nil {
					t.Errorf("%q of %q is no string: %v", one, v.Key, err)
				}
			}
		}
	})
}

func TestApply(t *testing.T) {
	got := Apply("a = 1\nb = 2\n", []Edit{{From: 10, To: 11, Text: "3"}, {From: 6, To: 6, Text: "c = 0\n"}})
	if want := "a = 1\nc = 0\nb = 3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestQuote(t *testing.T) {
	for key, want := range map[string]string{
		"a-b_9": "a-b_9", "": `""`, "a b": `"a b"`, `a"\`: `"a\"\\"`, "a\x01": `"a\u0001"`, "é": `"é"`,
	} {
		if got := QuoteKey(key); got != want || Unquote(Quote(key)) != key {
			t.Errorf("%q: %s, want %s; read again it is %q", key, got, want, Unquote(Quote(key)))
		}
	}
}
