package csource

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
)

// write puts files into a folder of the test and returns the path of one.
func write(t *testing.T, files map[string]string, name string) string {
	t.Helper()
	folder := t.TempDir()
	for base, text := range files {
		cfunctiontest.Write(t, folder, base, text)
	}
	return filepath.Join(folder, name)
}

// A library is made of several files: C and C++ source, which are preprocessed in their own folders, and objects. All of
// them count for the hash.
func TestFurtherSources(t *testing.T) {
	main := write(t, map[string]string{"main.c": "int second(void); int third(void); int fourth(void);\n" +
		"int all(void) { return second() + third() + fourth(); }\n"}, "main.c")
	second := write(t, map[string]string{"second.c": "#include \"two.h\"\nint second(void) { return TWO; }\n" +
		"int own(int n, const int x[n]) { return x[n - 1]; }\n", "two.h": "#define TWO 2\n"}, "second.c")
	third := write(t, map[string]string{"third.cpp": "extern \"C\" int third() { int *v = new int(30); int n = *v; delete v; return n; }\n"}, "third.cpp")
	fourth := write(t, map[string]string{"fourth.c": "int fourth(void) { return 400; }\n"}, "fourth.c")
	cfunctiontest.CC(t, filepath.Dir(fourth), "-c", "-fPIC", "-o", "fourth.o", "fourth.c")
	object := strings.TrimSuffix(fourth, ".c") + ".o"
	options := map[string]string{OptionSource: invocations.JoinFiles([]string{second, third, object}),
		OptionPrototype: "int all(void); int own(int n, const int x[n])"}
	cache := t.TempDir()
	a := buildC(t, main, cache, options)
	got, err := callC(t, a, invocations.Invocation{Function: "all", Verify: invocations.Verification{Expected: []string{"i32=432"}}})
	if err != nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	// A prototype may be that of a function of a further source.
	got, err = callC(t, a, invocations.Invocation{Function: "own", Parameters: map[string]string{"n": "3"},
		Arguments: []invocations.Argument{cfunctiontest.Input("x", "7")}, Verify: invocations.Verification{Expected: []string{"i32=7"}}})
	if err != nil || got != "" {
		t.Errorf("of a further source: %q, %v", got, err)
	}
	before := describeC(t, main, options).Artifact.SHA256
	cfunctiontest.Write(t, filepath.Dir(second), "two.h", "#define TWO 20\n")
	if after := describeC(t, main, options).Artifact.SHA256; after == before {
		t.Error("the header of a further source does not change the hash")
	}
	// An object is linked with what it lacks.
	cfunctiontest.CC(t, filepath.Dir(main), "-c", "-fPIC", "-o", "main.o", "main.c")
	a = buildC(t, strings.TrimSuffix(main, ".c")+".o", cache, options)
	got, err = callC(t, a, invocations.Invocation{Function: "all", Verify: invocations.Verification{Expected: []string{"i32=450"}}})
	if err != nil || got != "" {
		t.Errorf("of objects: %q, %v", got, err)
	}
}

// Prototypes and values may use the typedefs and the enumerators of the header.
func TestNamesOfHeader(t *testing.T) {
	const header = "typedef int blasint;\nenum order { RowMajor = 101, N = 8 };\nint f(enum order o);\n"
	path := write(t, map[string]string{"k.h": header, "k.c": "#include \"k.h\"\n#include <stdbool.h>\n" +
		"int f(enum order o) { return o; }\nint g(blasint n, bool b, const float x[N]) { return n + b; }\n"}, "k.c")
	folder := filepath.Dir(path)
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-o", "libk.so", "k.c")
	a := buildC(t, filepath.Join(folder, "libk.so"), t.TempDir(), map[string]string{OptionHeader: filepath.Join(folder, "k.h"),
		OptionPrototype: "int g(blasint n, bool b, const float x[N]);"})
	for _, c := range []struct {
		function   string
		parameters map[string]string
		want       string
	}{
		{"f", map[string]string{"o": "RowMajor"}, "i32=101"},
		{"g", map[string]string{"n": "N", "b": "true"}, "i32=9"},
		{"g", map[string]string{"n": "N", "b": "false"}, "i32=8"},
	} {
		got, err := callC(t, a, invocations.Invocation{Function: c.function, Parameters: c.parameters,
			Verify: invocations.Verification{Expected: []string{c.want}}})
		if err != nil || got != "" {
			t.Errorf("%s %v: %q, %v", c.function, c.parameters, got, err)
		}
	}
	if name, err := PrototypeName("int g(blasint n, bool b, const float x[N])"); name != "g" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := PrototypeName("int g(blasint n"); err == nil {
		t.Error("a prototype that cannot be read has a name")
	}
}

// What is needed to call a function without shapes is proposed as a whole.
func TestCompletedCall(t *testing.T) {
	path := write(t, map[string]string{"k.c": "unsigned crc(unsigned crc, const unsigned char *buf, unsigned long len) " +
		"{ return crc; }\nint known(void) { return 1; }\n"}, "k.c")
	list, err := Runtime{}.Describe(path, executor.DescribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := list[0].Functions[0].Remedies
	if len(r) != 1 || r[0].Name != "crc" || r[0].Parameters != "crc=1 len=4096" ||
		r[0].Value != "unsigned crc(unsigned crc, const unsigned char buf[len], unsigned long len)" {
		t.Fatalf("%+v", r)
	}
	if d := describeC(t, path, map[string]string{OptionPrototype: r[0].Value}); d.Functions[0].Skip != "" {
		t.Errorf("with it: %+v", d.Functions[0])
	}
}

// A library that does not name the math library is loaded with it, and a note says so. What nothing defines is an error
// that does not tell to install something.
func TestLibraryWithoutLibm(t *testing.T) {
	path := write(t, map[string]string{"m.c": "float expf(float);\nfloat sig(float x) { return 1 / (1 + expf(-x)); }\n",
		"n.c": "int absent(void);\nint f(void) { return absent(); }\n"}, "m.c")
	folder := filepath.Dir(path)
	cfunctiontest.CC(t, folder, "-O1", "-shared", "-fPIC", "-o", "m.so", "m.c")
	cfunctiontest.CC(t, folder, "-O1", "-shared", "-fPIC", "-o", "n.so", "n.c")
	a := buildC(t, filepath.Join(folder, "m.so"), t.TempDir(), map[string]string{OptionPrototype: "float sig(float x)"})
	p, err := Runtime{}.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	call, err := p.Prepare(&invocations.Invocation{Artifact: a, Function: "sig", Parameters: map[string]string{"x": "1"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	if len(call.Notes) != 1 || !strings.Contains(call.Notes[0], "which defines expf") {
		t.Errorf("notes %q", call.Notes)
	}
	a = buildC(t, filepath.Join(folder, "n.so"), t.TempDir(), map[string]string{OptionPrototype: "int f(void)"})
	_, err = Runtime{}.Load(a)
	if err == nil || !strings.Contains(err.Error(), "link the library with what defines absent") ||
		strings.Contains(err.Error(), "install") {
		t.Errorf("error %v", err)
	}
}

// A C++ file is an artifact, too, if prototypes are given. What C cannot call is skipped with what to write.
func TestFunctionsOfCXX(t *testing.T) {
	path := write(t, map[string]string{"k.cpp": "#include <cstddef>\n" +
		"extern \"C\" int f(int n, const int *x) { int *y = new int(x[n - 1]); int z = *y; delete y; return z; }\n" +
		"int mangled(int n) { return n; }\n"}, "k.cpp")
	options := map[string]string{OptionPrototype: "int f(int n, const int x[n]); int mangled(int n)"}
	d := describeC(t, path, options)
	if len(d.Functions) != 2 || d.Functions[0].Skip != "" ||
		!strings.Contains(d.Functions[1].Skip, `no function mangled is exported as C calls it; C++ functions are declared extern "C"`) {
		t.Fatalf("%+v", d.Functions)
	}
	a := buildC(t, path, t.TempDir(), options)
	got, err := callC(t, a, invocations.Invocation{Function: "f", Parameters: map[string]string{"n": "3"},
		Arguments: []invocations.Argument{cfunctiontest.Input("x", "7")}, Verify: invocations.Verification{Expected: []string{"i32=7"}}})
	if err != nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}
