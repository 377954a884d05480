package generator

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/executor/toolchain"
	"zonemark/invocations/remedy"
)

// A wrong scheduler or parameter is named before anything runs.
func TestScheduler(t *testing.T) {
	for _, test := range []struct {
		name, parameter, value string
		want                   string // in the error; empty: there is none
	}{
		{"", "", "", ""},
		{"none", "", "", ""},
		{"adams2019", "beam_size", "32", ""},
		{"adams2019", "memory_limit", "-1", ""},
		{"anderson2021", "search_space_options", "1111", ""},
		{"adams2018", "", "", `no scheduler "adams2018"; did you mean "adams2019"?`},
		{"x", "", "", `no scheduler "x"; there are none, manual, adams2019, mullapudi2016, li2018, anderson2021`},
		{"adams2019", "beamsize", "1", `has no parameter "beamsize"; did you mean "beam_size"?`},
		{"li2018", "weights_path", "a", `has no parameter "weights_path"; it has ["parallelism"]`},
		{"adams2019", "beam_size", "many", `parameter beam_size is "many"; write a number`},
		{"manual", "beam_size", "1", "scheduler manual has no parameters, and beam_size is set"},
		{"anderson2021", "search_space_options", "", "parameter search_space_options is empty"},
	} {
		s, err := schedulerOf(test.name)
		if err == nil && test.parameter != "" {
			_, err = s.complete(map[string]string{test.parameter: test.value})
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, %s=%s: error %v, want %q", test.name, test.parameter, test.value, err, test.want)
		}
	}
	for _, s := range schedulers {
		given := map[string]string{}
		params, err := s.complete(given)
		if want := strconv.Itoa(runtime.NumCPU()); err != nil || len(given) > 0 ||
			slices.Contains(s.parameters, "parallelism") != (params["parallelism"] == want) {
			t.Errorf("%s: default parameters %v, error %v", s.name, params, err)
		}
	}
}

// A target is resolved, and refused if this machine cannot run its code.
func TestTarget(t *testing.T) {
	host := map[string]string{"amd64": "x86-64-", "arm64": "arm-64-"}[runtime.GOARCH] +
		map[string]string{"linux": "linux", "darwin": "osx", "windows": "windows"}[runtime.GOOS] + "-tune_x-avx-avx2-f16c"
	tools := Toolchain{Host: host}
	for _, test := range []struct {
		target   string
		profile  bool
		resolved string
		refused  string
	}{
		{"", false, host, ""},
		{"host", true, host + "-profile", ""},
		{"host-no_runtime-profile-no_asserts", true, host + "-profile-no_asserts", ""},
		{"host-avx512", false, host + "-avx512", "this CPU lacks avx512 (it has avx, avx2, f16c)"},
		{host + "-avx512_sapphirerapids-fma", false, host + "-avx512_sapphirerapids-fma",
			"lacks avx512_sapphirerapids and fma"},
		{"hexagon-32-noos-hvx", false, "hexagon-32-noos-hvx", "it is code for hexagon-32"},
		{"wasm", false, "wasm", "it is code for wasm-"},
		{"host-hexagon_dma", false, host + "-hexagon_dma", ""},
		{strings.Replace(host, "-64-", "-64-android-", 1), false, strings.Replace(host, "-64-", "-64-android-", 1),
			"the system android"},
	} {
		resolved := tools.resolve(test.target, test.profile)
		err := CheckTarget(resolved, host)
		if resolved != test.resolved || test.refused == "" && err != nil ||
			test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) {
			t.Errorf("%s: resolved %s, error %v, want %s, %q", test.target, resolved, err, test.resolved, test.refused)
		}
	}
}

// weightsOf returns a file of weights for Adams2019's model, all of a value.
func weightsOf(value float32) []byte {
	b := []byte{}
	for _, n := range []uint32{weightsMagic, 3, 3, weightsBuffers} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	s, _ := schedulerOf("adams2019")
	for _, extents := range s.shapes {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(extents)))
		values := 1
		for _, e := range extents {
			b = binary.LittleEndian.AppendUint32(b, uint32(e))
			values *= e
		}
		for range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(value))
		}
	}
	return b
}

// A file of weights that is missing, cut or of another model is an error, since the plugin would go on with random
// weights.
func TestWeights(t *testing.T) {
	whole := weightsOf(0.5)
	if len(whole) != 17_136 { // as the weights in the plugin
		t.Errorf("the file has %d bytes", len(whole))
	}
	changed := func(at int, to byte) []byte {
		b := slices.Clone(whole)
		b[at] = to
		return b
	}
	s, _ := schedulerOf("adams2019")
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"whole.weights": {whole, ""},
		"cut.weights": {whole[:len(whole)-1],
			"buffer 5 at byte 17000: it has 32 values, and the file ends at byte 17135"},
		"head.weights":     {whole[:10], "it ends at byte 10, inside"},
		"empty.weights":    {nil, "it ends at byte 0"},
		"long.weights":     {append(slices.Clone(whole), 0), "1 bytes follow its end at byte 17136"},
		"magic.weights":    {changed(0, 0), "it begins with 0x68776600, not 0x68776631"},
		"version.weights":  {changed(4, 2), "versions 2 and 3 of the features, want 3 and 3"},
		"buffers.weights":  {changed(12, 7), "7 buffers"},
		"extents.weights":  {changed(20, 7), "buffer 0 at byte 16 has extents [7 40 7], want [8 40 7]"},
		"infinite.weights": {weightsOf(float32(math.Inf(1))), "the value at byte 32 is +Inf"},
		"other.data":       {whole, "a file of weights is named *.weights"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, test.data, 0o644); err != nil {
			t.Fatal(err)
		}
		hash, err := checkWeights(path, s.shapes)
		if test.want == "" && (err != nil || len(hash) != 64) ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: hash %q, error %v, want %q", name, hash, err, test.want)
		}
	}
	if _, err := checkWeights(filepath.Join(t.TempDir(), "gone.weights"), nil); err == nil ||
		!strings.Contains(err.Error(), "leave the parameter out") {
		t.Errorf("a missing file: error %v", err)
	}
}

// Files that a source includes or imports are found through others; what is elsewhere is left out.
func TestSources(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"gen.cpp": "#include \"Halide.h\"\n #  include \"sub/a.h\" // comment\n#include <vector>\n",
		"sub/a.h": "#include \"b.h\"\n#include \"../gen.cpp\"\n",
		"sub/b.h": "",
		"gen.py": "import halide as hl, local.deep as d\nfrom pkg import (one,\n    two)\n" +
			"if True:\n    from other import x\n",
		"local/deep.py":    "",
		"pkg/__init__.py":  "from .one import f\n",
		"pkg/one.py":       "from . import three\n",
		"pkg/two.py":       "from ..other import y\n",
		"pkg/three.py":     "",
		"other.py":         "",
		"not_imported.py":  "",
		"sub/not_used.hpp": "",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"gen.cpp": "gen.cpp sub/a.h sub/b.h",
		"gen.py":  "gen.py local/deep.py other.py pkg/__init__.py pkg/one.py pkg/three.py pkg/two.py",
	} {
		all, err := readSources(filepath.Join(folder, name), nil)
		var names []string
		for _, f := range all {
			rel, _ := filepath.Rel(folder, f.path)
			names = append(names, filepath.ToSlash(rel))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %s, error %v, want %s", name, got, err, want)
		}
	}
}

func keyOf(parts ...string) (k toolchain.Key) {
	k.Add(parts...)
	return k
}

// Of two builds at once, both get the same whole folder; a build that fails, or makes too little, leaves none.
func TestCached(t *testing.T) {
	cache := t.TempDir()
	k := keyOf("a")
	other := ""
	produce := func(text string) func(string) error {
		return func(folder string) error { return os.WriteFile(filepath.Join(folder, "file"), []byte(text), 0o644) }
	}
	folder, err := cached(cache, k, []string{"file"}, func(folder string) error {
		var err error
		if other, err = cached(cache, k, []string{"file"}, produce("first")); err != nil {
			return err
		}
		return produce("second")(folder)
	})
	text, readErr := os.ReadFile(filepath.Join(folder, "file"))
	if err != nil || readErr != nil || folder != other || string(text) != "first" {
		t.Errorf("folders %s and %s hold %q, errors %v, %v", folder, other, text, err, readErr)
	}
	built := filepath.Join(folder, "file")
	for name, damage := range map[string]func() error{
		"lacks a file":    func() error { return os.Remove(built) },
		"has another one": func() error { return os.WriteFile(built, []byte("firsT"), 0o644) },
		"has a torn one":  func() error { return os.Truncate(built, 2) },
		"has no hashes":   func() error { return os.Remove(built + ".sha256") },
		"is a file":       func() error { return errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o644)) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		_, err = cached(cache, k, []string{"file"}, produce(name))
		if text, readErr := os.ReadFile(built); err != nil || readErr != nil || string(text) != name {
			t.Errorf("a folder that %s: it holds %q, errors %v, %v", name, text, err, readErr)
		}
	}
	_, err = cached(cache, keyOf("b"), []string{"file"}, func(string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "made no file") {
		t.Errorf("a build that made nothing: error %v", err)
	}
	if list, err := os.ReadDir(filepath.Join(cache, cacheFolder)); err != nil || len(list) != 1 {
		t.Errorf("left: %v, error %v", list, err)
	}
}

// What a program had printed before an exception is told.
func TestPrintedBefore(t *testing.T) {
	d := diagnose("reading the tables\nUnhandled exception: Error: the radius is 9\n")
	if want := "\nit had printed before that:\nreading the tables"; d.text != "the radius is 9" || d.printed != want {
		t.Errorf("of an exception: %q, %q", d.text, d.printed)
	}
}

// A source without generators is measured otherwise: functions of C++ by their prototypes, a script as a whole.
func TestNoGenerator(t *testing.T) {
	for name, test := range map[string]struct{ contents, want string }{
		"f.cpp": {"extern \"C\" double f(const double *x,\n    int n) {\n}\n", "call f double f(const double *x, int n)"},
		"g.cpp": {"struct s {};\n", "declare a function extern \"C\" to measure it as one of C"},
		"h h.cpp": {"#include <vector>\nstatic int no() { return 1; }\nunsigned long g(const double *x) {}\n",
			"declare a function extern \"C\" to measure it as one of C:\n" +
				"  sed 's/^[A-Za-z].*[ *]g(/extern \"C\" &/' 'h h.cpp' >'h h_c.cpp' && zonemark run 'h h_c.cpp'"},
		"s.py": {"print(1)\n", "measure the whole script: zonemark run -- python3 s.py"},
	} {
		o := &opened{path: "/a/" + name, files: []sourceFile{{path: "/a/" + name, contents: test.contents}}}
		if told := remedy.Told(o.noGenerator(), nil); !strings.HasSuffix(told, "; "+test.want) {
			t.Errorf("%s: %s, want %s", name, told, test.want)
		}
	}
}

// What was probably meant by an unknown name is a remedy.
func TestUnknown(t *testing.T) {
	err := unknown("no generator", "twise", []string{"bare", "twice"})
	want := []remedy.Remedy{{Kind: remedy.Instead, Name: "twise", Value: "twice"}}
	if got := remedy.Of(err); !slices.Equal(got, want) ||
		err.Error() != `no generator "twise"; did you mean "twice"?; it has bare, twice` {
		t.Errorf("%v, %+v", err, got)
	}
	if got := remedy.Of(unknown("no generator", "matmul", []string{"bare"})); got != nil {
		t.Errorf("%+v", got)
	}
}
