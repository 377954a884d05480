package csource

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// A library that is not described is described by the header of the system that declares what was asked for, also if the
// header has it of another one in its folder.
func TestSystemHeader(t *testing.T) {
	const code = "unsigned long strlen(const char *s) { return 1; }\ndouble cos(double x) { return x; }\nint own(void) { return 1; }\n"
	path := write(t, map[string]string{"own.c": code}, "own.c")
	folder := filepath.Dir(path)
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-fno-builtin", "-o", "libown.so", "own.c")
	library := filepath.Join(folder, "libown.so")
	if _, err := os.Stat(filepath.Join(systemHeaders, "string.h")); err != nil { // not every system keeps its headers there
		systemless(t, library)
		return
	}
	header := func(name string) []remedy.Remedy {
		return []remedy.Remedy{{Kind: remedy.Options, Value: "header=" + filepath.Join(systemHeaders, name)}}
	}
	for _, c := range []struct {
		asked, header string
		want          []remedy.Remedy
	}{
		{"strlen", "", header("string.h")},
		{"cos", "", header("math.h")},
		{"", "", header("math.h")},
		{"cos", "math.h", []remedy.Remedy{{Kind: remedy.Instead, Name: "math.h", Value: filepath.Join(systemHeaders, "math.h")}}},
		{"cos", "nowhere.h", nil},
	} {
		o := executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{OptionHeader: c.header}}
		if c.asked != "" {
			o.Functions = []string{c.asked}
		}
		_, err := Runtime{}.Describe(library, o)
		if got := remedy.Of(err); err == nil || !slices.Equal(got, c.want) {
			t.Errorf("%s by %q: %v, %v", c.asked, c.header, err, got)
		}
	}
	_, err := Runtime{}.Describe(library, executor.DescribeOptions{Cache: t.TempDir(), Functions: []string{"own"}})
	if got := remedy.Of(err); len(got) != 2 || got[0].Kind != remedy.Prototype {
		t.Errorf("what no header declares: %v", got)
	}
	d := describeC(t, library, map[string]string{OptionHeader: filepath.Join(systemHeaders, "math.h")})
	if !slices.ContainsFunc(d.Functions, func(f invocations.Function) bool { return f.Name == "cos" && f.Skip == "" }) {
		t.Errorf("%+v", d.Functions)
	}
}

// systemless checks that a system without headers has none to offer.
func systemless(t *testing.T, library string) {
	_, err := Runtime{}.Describe(library, executor.DescribeOptions{Cache: t.TempDir(), Functions: []string{"cos"}})
	if got := remedy.Of(err); len(got) != 2 || got[0].Kind != remedy.Prototype {
		t.Errorf("%v", got)
	}
}
