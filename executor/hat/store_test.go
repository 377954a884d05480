package hat

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"zonemark/invocations/tomltext"
)

// TestStoreDurationsInSamplePackages checks that the first edit only adds lines and that later ones only change
// numbers.
func TestStoreDurationsInSamplePackages(t *testing.T) {
	for _, c := range []struct {
		file    string
		seconds map[string]float64
	}{
		{"p.hat", map[string]float64{"gemm": 1.5953456437541567e-06, "gemm_slow": 0.0089}},
		{"hk.hat", map[string]float64{"k_empty": 5e-10, "k_50ns": 2, "k_10us": 1e-5}},
		{"accpkg_static.hat", map[string]float64{"mm4_ff9c4c42480cbf03": 3.7e-8}},
		{"acccuda.hat", map[string]float64{"cumm_fedaa72f7e52fc01": 0}},
	} {
		original := readTestdata(t, c.file)
		for _, variant := range []struct{ name, text string }{
			{"as it is", original},
			{"CRLF", strings.ReplaceAll(original, "\n", "\r\n")},
			{"byte order mark", "\xef\xbb\xbf" + original},
			{"no newline at the end", strings.TrimRight(original, "\n")},
		} {
			path := write(t, t.TempDir(), c.file, variant.text)
			if err := CheckWritable(path); err != nil {
				t.Errorf("%s, %s: %v", c.file, variant.name, err)
			}
			if err := StoreDurations(path, same(c.seconds)); err != nil {
				t.Errorf("%s, %s: %v", c.file, variant.name, err)
				continue
			}
			first, _ := os.ReadFile(path)
			if variant.name == "as it is" {
				golden(t, "store-"+c.file+".golden", string(first))
			}
			if removed := missingLines(variant.text, string(first)); removed != "" {
				t.Errorf("%s, %s: line %q was changed", c.file, variant.name, removed)
			}
			if variant.name == "CRLF" && strings.Count(string(first), "\n") != strings.Count(string(first), "\r\n") {
				t.Errorf("%s: line endings are mixed", c.file)
			}
			twice := maps.Clone(c.seconds)
			for name := range twice {
				twice[name] = 0.125
			}
			if err := StoreDurations(path, same(twice)); err != nil {
				t.Errorf("%s, %s, second time: %v", c.file, variant.name, err)
			}
			second, _ := os.ReadFile(path)
			number := regexp.MustCompile(`(duration_in_sec = )[0-9.e-]+`)
			got, want := number.ReplaceAllString(string(second), "$1"), number.ReplaceAllString(string(first), "$1")
			if got != want {
				t.Errorf("%s, %s: the second run changed more than numbers", c.file, variant.name)
			}
			if n := strings.Count(string(second), "duration_in_sec = 0.125"); n != 2*len(twice) {
				t.Errorf("%s, %s: %d numbers after the second run, want %d", c.file, variant.name, n, 2*len(twice))
			}
		}
	}
}

// same returns durations whose median and mean are equal.
func same(seconds map[string]float64) map[string]Durations {
	out := map[string]Durations{}
	for name, s := range seconds {
		out[name] = Durations{s, s}
	}
	return out
}

func TestMedianAndMeanHaveKeysOfTheirOwn(t *testing.T) {
	got, err := setDurations("[functions.f]\n", map[string]Durations{"f": {MedianSeconds: 1e-06, MeanSeconds: 2e-06}})
	want := "[functions.f]\n\n[functions.f.auxiliary]\nduration_in_sec = 1e-06\nmean_duration_in_sec = 2e-06\n"
	if err != nil || got != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

// missingLines returns the first line of before that is not in after, in order.
func missingLines(before, after string) string {
	rest := slices.Collect(strings.Lines(after))
	for line := range strings.Lines(before) {
		i := slices.IndexFunc(rest,
			func(l string) bool { return strings.TrimRight(l, "\r\n") == strings.TrimRight(line, "\r\n") })
		if i < 0 {
			return line
		}
		rest = rest[i+1:]
	}
	return ""
}

func TestSetDurations(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"new table", "[functions.f]\na = 1\n",
			"[functions.f]\na = 1\n\n[functions.f.auxiliary]\nduration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n", ""},
		{"empty function", "[functions.f]",
			"[functions.f]\n\n[functions.f.auxiliary]\nduration_in_sec = 2.0\nmean_duration_in_sec = 2.0", ""},
		{"indented", "\t[functions.f]\n\ta = 1 # c\n[x]\n",
			"\t[functions.f]\n\ta = 1 # c\n\n\t[functions.f.auxiliary]\n\tduration_in_sec = 2.0\n" +
				"\tmean_duration_in_sec = 2.0\n[x]\n", ""},
		{"one key is there", "[functions.f]\n[functions.f.auxiliary]\nmean_duration_in_sec = 7 # old\n",
			"[functions.f]\n[functions.f.auxiliary]\nmean_duration_in_sec = 2.0 # old\nduration_in_sec = 2.0\n", ""},
		{"value of another kind", "[functions.f.auxiliary]\nduration_in_sec = [ '''a\n''', # ]\n 3 ]\n",
			"[functions.f.auxiliary]\nduration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n", ""},
		{"quoted names", "[ functions . \"f\" ]\n[functions.'f'.\"auxili\\u0061ry\"]\n\"duration_in_sec\"=1\n",
			"[ functions . \"f\" ]\n[functions.'f'.\"auxili\\u0061ry\"]\n\"duration_in_sec\"=2.0\n" +
				"mean_duration_in_sec = 2.0\n", ""},
		{"before a table below auxiliary", "[functions.f]\na = \"]\"\n[functions.f.auxiliary.x]\nb = 1\n",
			"[functions.f]\na = \"]\"\n\n[functions.f.auxiliary]\nduration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n" +
				"[functions.f.auxiliary.x]\nb = 1\n", ""},
		{"nan elsewhere", "x = nan\n[functions.f.auxiliary]\n",
			"x = nan\n[functions.f.auxiliary]\nduration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n", ""},
		{"values of every kind elsewhere",
			"d = 2020-01-02T03:04:05+01:00\na = [{b = [1, 2.5]}, {}]\n" +
				"[functions.f.auxiliary]\n[[t]]\n[[t]]\nx = true\n",
			"d = 2020-01-02T03:04:05+01:00\na = [{b = [1, 2.5]}, {}]\n[functions.f.auxiliary]\n" +
				"duration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n[[t]]\n[[t]]\nx = true\n", ""},
		{"key inside a string", "x = '''\n[functions.f.auxiliary]\nduration_in_sec = 1\n'''\n[functions.f]\n",
			"x = '''\n[functions.f.auxiliary]\nduration_in_sec = 1\n'''\n[functions.f]\n\n[functions.f.auxiliary]\n" +
				"duration_in_sec = 2.0\nmean_duration_in_sec = 2.0\n", ""},
		{"inline auxiliary", "[functions.f]\nauxiliary = {a = 1}\n", "", "inline table or made of dotted keys"},
		{"dotted auxiliary", "[functions.f]\nauxiliary.a = 1\n", "", "inline table or made of dotted keys"},
		{"dotted function", "[functions]\nf.name = 'f'\n", "", "inline table or made of dotted keys"},
		{"inline functions", "functions = {f = {name = 'f'}}\n", "", "inline table or made of dotted keys"},
		{"key that is a table", "[functions.f.auxiliary]\n[functions.f.auxiliary.duration_in_sec]\n", "", "do not fit"},
		{"unknown function", "[functions.ff]\n", "", "did you mean \"ff\""},
		{"no TOML", "[functions.f\n", "", "no valid TOML"},
	} {
		got, err := setDurations(c.text, same(map[string]float64{"f": 2}))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one that says %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
	}
}

func TestQuotedFunctionNames(t *testing.T) {
	for _, name := range []string{"operator+", `a"b\c`, "a.b", "", "tab\there", "größe", "del\x7f"} {
		text := "[functions." + tomltext.QuoteKey(name) + "]\n"
		edited, err := setDurations(text, same(map[string]float64{name: 0.5}))
		want := text + "\n[functions." + tomltext.QuoteKey(name) +
			".auxiliary]\nduration_in_sec = 0.5\nmean_duration_in_sec = 0.5\n"
		if err != nil || edited != want {
			t.Errorf("%q: %v\n got %q\nwant %q", name, err, edited, want)
		}
	}
}

func TestStoreDurationsErrors(t *testing.T) {
	path := write(t, t.TempDir(), "p.hat", readTestdata(t, "p.hat"))
	zero := 0.0
	for _, c := range []struct {
		name, path string
		seconds    map[string]float64
		want       string
	}{
		{"NaN", path, map[string]float64{"gemm": zero / zero}, "finite"},
		{"infinite", path, map[string]float64{"gemm": 1 / zero}, "finite"},
		{"negative", path, map[string]float64{"gemm": -1}, "finite"},
		{"unknown function beside a known one", path, map[string]float64{"gemm": 1, "gemn": 1},
			"did you mean \"gemm\""},
		{"missing file", path + "x", map[string]float64{"gemm": 1}, "check the path"},
		{"folder", filepath.Dir(path), map[string]float64{"gemm": 1}, "not a regular file"},
	} {
		if err := StoreDurations(c.path, same(c.seconds)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != readTestdata(t, "p.hat") {
		t.Error("a failed store changed the file")
	}
	if err := CheckWritable(path + "x"); err == nil {
		t.Error("CheckWritable accepts a missing file")
	}
	inline := write(t, t.TempDir(), "x.hat", packageText("", "[functions.f]\nauxiliary = {}\n"))
	if err := CheckWritable(inline); err == nil || !strings.Contains(err.Error(), "inline table") {
		t.Errorf("CheckWritable on an inline table: %v", err)
	}
}

func TestStoreKeepsModeAndLinks(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "p.hat", readTestdata(t, "p.hat"))
	link := filepath.Join(folder, "link.hat")
	if err := os.Symlink("p.hat", link); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := StoreDurations(link, same(map[string]float64{"gemm": 1})); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("mode %v became %v, %v", before.Mode(), after.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the symbolic link became %v, %v", info, err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "duration_in_sec = 1.0") {
		t.Error("the file behind the link was not changed")
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestCheckWritableWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind the superuser")
	}
	folder := t.TempDir()
	path := write(t, folder, "p.hat", readTestdata(t, "p.hat"))
	for _, c := range []struct {
		path string
		mode os.FileMode
		want string
	}{{path, 0o444, "make the file writable"}, {folder, 0o555, "make the folder writable"}} {
		if err := os.Chmod(c.path, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := CheckWritable(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one that says %q", c.mode, err, c.want)
		}
		if err := os.Chmod(c.path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzSetDurations checks the edit against an independent model of it: the decoded value with the two keys set, and all
// lines kept.
func FuzzSetDurations(f *testing.F) {
	for _, name := range []string{"p.hat", "hk.hat", "acccuda.hat"} {
		f.Add(readTestdata(f, name), 1e-6)
	}
	f.Add("[functions.f]\r\na = '''x'''''\r\n[functions.\"q \\\" q\".auxiliary]\r\n"+
		"duration_in_sec = {a = [1, \"]\"]} # c", 0.5)
	f.Add("functions.f.auxiliary.x = 1\n", 3.0)
	f.Add("[functions.f]\n[functions.f.auxiliary]\n\"duration_in_sec\" = \"\"\"\"\\\"\"\"\"\"\"\n", 3.0)
	f.Fuzz(func(t *testing.T, text string, seconds float64) {
		tomltext.Statements(text) // must end without a panic for any text
		var before map[string]any
		if _, err := toml.Decode(text, &before); err != nil || !(seconds >= 0 && seconds < 1e300) {
			return
		}
		functions, _ := before["functions"].(map[string]any)
		all := map[string]float64{}
		for name := range functions {
			all[name] = seconds
		}
		edited, err := setDurations(text, same(all))
		if err != nil {
			return
		}
		var after map[string]any
		if _, err := toml.Decode(edited, &after); err != nil {
			t.Fatalf("the result does not decode: %v\n%q", err, edited)
		}
		edits, _ := after["functions"].(map[string]any)
		for name := range all {
			auxiliary := edits[name].(map[string]any)["auxiliary"].(map[string]any)
			for _, d := range (Durations{}).keyed() {
				if auxiliary[d.key] != seconds {
					t.Errorf("function %q: %s is %v, want %v", name, d.key, auxiliary[d.key], seconds)
				}
				delete(auxiliary, d.key)
			}
			if old, ok := functions[name].(map[string]any)["auxiliary"].(map[string]any); ok {
				for _, d := range (Durations{}).keyed() {
					delete(old, d.key)
				}
			} else if len(auxiliary) == 0 {
				delete(edits[name].(map[string]any), "auxiliary")
			}
		}
		if got, want := fmt.Sprint(after), fmt.Sprint(before); got != want {
			t.Errorf("something else changed:\n%s\n%s", want, got)
		}
		if again, err := setDurations(edited, same(all)); err != nil || again != edited {
			t.Errorf("the second edit differs: %v\n%q\n%q", err, edited, again)
		}
	})
}
