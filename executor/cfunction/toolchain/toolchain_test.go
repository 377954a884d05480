package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
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
