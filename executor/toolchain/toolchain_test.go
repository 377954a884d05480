package toolchain

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
)

func TestLinkRemedy(t *testing.T) {
	remedies := LinkRemedies(act("name the symbol"), "put the file there")
	for words, want := range map[string]string{
		"relocation R_X86_64_32 can not be used; recompile with -fPIC": "compile the code with -fPIC",
		"x.o: undefined reference to `absent'":                         "name the symbol",
		"Undefined symbols for architecture arm64":                     "name the symbol",
		"lib.a: file format not recognized":                            "build the library for this machine",
		"/usr/bin/ld: cannot find -lnone":                              "put the file there",
		"what is this":                                                 "correct the library or set CC to another compiler",
	} {
		if got := remedies(words); len(got) != 1 || got[0].Value != want {
			t.Errorf("%s: %v, want %s", words, got, want)
		}
	}
}

// A compiler that was killed, or whose parts were, says so; its source is not to blame.
func TestKilledCompiler(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	source := filepath.Join(t.TempDir(), "x.c")
	for _, script := range []string{"kill -9 $$", "echo 'cc: fatal error: Killed signal terminated program cc1' >&2; exit 1"} {
		c := Compiler{Command: []string{"/bin/sh", "-c", script}}
		_, err := c.Preprocess(t.Context(), source, nil, func(string) []remedy.Remedy {
			return []remedy.Remedy{{Kind: remedy.Act, Value: "correct the source"}}
		})
		if err == nil || !strings.Contains(err.Error(), "sh was killed (") || strings.Contains(err.Error(), "correct") {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// The name of a library is that of what it is made of: the code, the flags and the compiler. What a compiler says of a
// failure is shown with the remedy, and nothing stays behind.
func TestMake(t *testing.T) {
	ctx, folder := context.Background(), filepath.Join(t.TempDir(), "made")
	c, err := Find(ctx, func(string) string { return "" }, building.Workshop{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(code string, flags ...string) *Library {
		return &Library{Compiler: c, Inputs: []Input{{"x.c", []byte(code)}}, Flags: append(flags, "x.c"),
			Remedies: func(string) []remedy.Remedy { return act("do something") }}
	}
	made := map[string]bool{}
	for _, l := range []*Library{of("int f(void) { return 1; }", "-fPIC"), of("int f(void) { return 2; }", "-fPIC"),
		of("int f(void) { return 1; }", "-fPIC", "-O1"), of("int f(void) { return 1; }", "-fPIC")} {
		path, err := l.Make(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		made[path] = true
	}
	if len(made) != 3 {
		t.Errorf("%d libraries, want 3", len(made))
	}
	_, err = of("int f(void) { return oops; }").Make(ctx, folder)
	if err == nil || !strings.HasSuffix(remedy.Told(err, nil), "\ndo something") || !strings.Contains(err.Error(), "oops") {
		t.Errorf("error %v", err)
	}
	entries, err := os.ReadDir(folder)
	libraries := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) == sharedSuffix(runtime.GOOS) {
			libraries++
		}
		if e.IsDir() {
			t.Errorf("%s is left", e.Name())
		}
	}
	if libraries != 3 || err != nil {
		t.Errorf("%d libraries, want 3; error %v", libraries, err)
	}
}

// A C++ compiler belongs to a C compiler, unless CXX names one.
func TestCXX(t *testing.T) {
	for cc, want := range map[string]string{
		"cc": "c++", "gcc": "g++", "gcc-12": "g++-12", "x86_64-linux-gnu-gcc": "x86_64-linux-gnu-g++", "clang-19": "clang++-19",
		"icx": "icpx", "zig": "zig",
	} {
		if got := cxxName(cc); got != want {
			t.Errorf("%s: %s, want %s", cc, got, want)
		}
	}
	_, err := Compiler{Command: []string{"cc"}}.CXX(t.Context(), func(string) string { return "no-such-compiler -O1" })
	if err == nil || !strings.Contains(err.Error(), `the C++ compiler "no-such-compiler" was not found`) {
		t.Errorf("error %v", err)
	}
}

func TestFileNames(t *testing.T) {
	for name, want := range map[string][2]bool{
		"a.c": {true, true}, "A.C": {true, true}, "lib.a": {false, true}, "x.OBJ": {false, true}, "lib.so": {}, "c": {},
	} {
		if got := [2]bool{IsSource(name), IsStatic(name)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestDiagnostics(t *testing.T) {
	long := strings.Repeat("ä", 1000)
	for output, want := range map[string]string{
		"":     "",
		"  \n": "",
		"iree-compile: Unknown command line argument\n": "iree-compile: Unknown command line argument",
		"note\na.mlir:2:8: error: bad\r\n  line\n":      "a.mlir:2:8: error: bad\n  line",
		strings.Repeat("x\n", 14):                       strings.Repeat("x\n", 12) + "… and 2 more lines",
		long:                                            strings.Repeat("ä", 150) + "…",
	} {
		if got := Diagnostics(output); got != want {
			t.Errorf("%.30q gives %q", output, got)
		}
	}
}

func FuzzDiagnostics(f *testing.F) {
	f.Add("a.mlir:2:8: error: custom op 'x' is unknown\n  %r = x\n  ^\n")
	f.Add(strings.Repeat("é\xff\n", 40))
	f.Fuzz(func(t *testing.T, output string) {
		text := Diagnostics(output)
		if n := strings.Count(text, "\n"); n > shownLines || !utf8.ValidString(text) ||
			len(text) > (shownLines+1)*(shownWidth+10) {
			t.Errorf("%d lines, %d bytes, valid UTF-8: %v", n, len(text), utf8.ValidString(text))
		}
	})
}

// The error of a program begins with what it said itself: its last lines, if they are many.
func TestFailedError(t *testing.T) {
	shell, err := exec.LookPath("sh")
	testneeds.Missing(t, err)
	for script, want := range map[string]string{
		"echo no table; exit 3": "no table\n(sh: exit status 3)",
		"exit 4":                "sh: exit status 4",
		"seq 30; exit 1":        "…\n19\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30\n(sh: exit status 1)",
	} {
		_, err := Program{Command: []string{shell, "-c", script}}.Run(t.Context(), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %q, want %q", script, err, want)
		}
	}
}

// A program gets the variables of this process, but for those that it must not see, and its own.
func TestEnvironment(t *testing.T) {
	shell, err := exec.LookPath("sh")
	testneeds.Missing(t, err)
	t.Setenv("HL_TARGET", "host")
	t.Setenv("LC_ALL", "de")
	var output strings.Builder
	said, err := Program{
		Command: []string{shell, "-c", "echo $HL_TARGET,$LC_ALL,$(cat); echo words >&2"}, Without: "HL_",
		Environment: []string{"LC_ALL=C"}, Input: []byte("input"), Output: &output,
	}.Run(t.Context(), nil)
	if err != nil || said != "words\n" || output.String() != ",C,input\n" {
		t.Errorf("it said %q and printed %q, error %v", said, output.String(), err)
	}
}

// The names of results differ if anything differs that they are made of.
func TestKey(t *testing.T) {
	seen := map[string]int{}
	for i, parts := range [][]string{{}, {""}, {"a", "b"}, {"ab"}, {"a", "b", ""}, {"b", "a"}} {
		k := &Key{}
		k.Add(parts...)
		if other, known := seen[k.Name()]; known {
			t.Errorf("keys %d and %d have one name", i, other)
		}
		seen[k.Name()] = i
	}
}
