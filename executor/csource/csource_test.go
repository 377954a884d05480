package csource

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/cfunction/cfunctiontest"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// describeC returns the description of a C file or library.
func describeC(t *testing.T, path string, options map[string]string) invocations.Description {
	t.Helper()
	list, err := Runtime{}.Describe(path, executor.DescribeOptions{Options: options, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func TestDescribeC(t *testing.T) {
	d := describeC(t, cfunctiontest.WriteKernels(t, cfunctiontest.Kernels), nil)
	var got strings.Builder
	for _, f := range d.Functions {
		got.WriteString(f.Name + " " + f.Signature)
		for _, p := range f.Parameters {
			got.WriteString(" " + p.Name + "=" + p.Example)
		}
		got.WriteString(" " + f.Skip + "\n")
	}
	const same = "(input int64, input float32, input float32*[#0], input_output float32*[#0]) void n=4096 a=1.5 \n"
	want := "scale " + same + "scaled " + same + "wrong " + same +
		"rows (input int32, input int32, input float64*[(#0+1)*#1*4]) float64 n=64 m=64 \n" +
		"shapeless  kernels.c:21:23: x has no shape; write float x[n], where n is a parameter or a number\n" +
		"hidden  kernels.c:22: hidden is static, so it cannot be called from outside; remove static\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if !d.NeedsBuild || !d.Comparable {
		t.Errorf("%+v", d)
	}
}

// The hash is that of the code: it changes with an included header, and not with the folder.
func TestHashOfC(t *testing.T) {
	path, other := cfunctiontest.WriteKernels(t, cfunctiontest.Kernels), cfunctiontest.WriteKernels(t, cfunctiontest.Kernels)
	hash := describeC(t, path, nil).Artifact.SHA256
	if again := describeC(t, other, nil).Artifact.SHA256; again != hash {
		t.Errorf("the same source in another folder: %s, not %s", again, hash)
	}
	header := filepath.Join(filepath.Dir(other), "width.h")
	if err := os.WriteFile(header, []byte("#define WIDTH 8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if again := describeC(t, other, nil).Artifact.SHA256; again == hash {
		t.Error("another header does not change the hash")
	}
}

// buildC builds an artifact and returns it, ready to load.
func buildC(t *testing.T, path, cache string, options map[string]string) invocations.Artifact {
	t.Helper()
	a := invocations.Artifact{Path: path, Options: options}
	built, err := Runtime{}.Build(context.Background(), a, building.Workshop{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	a.Built = built
	return a
}

// callC prepares an invocation and checks it against its reference.
func callC(t *testing.T, a invocations.Artifact, inv invocations.Invocation) (mismatch string, err error) {
	t.Helper()
	inv.Artifact = a
	p, err := Runtime{}.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	call, err := p.Prepare(&inv, 0)
	if err != nil {
		return "", err
	}
	t.Cleanup(call.Close)
	return call.Verify(func(string) {})
}

func TestCallC(t *testing.T) {
	cache := t.TempDir()
	a := buildC(t, cfunctiontest.WriteKernels(t, cfunctiontest.Kernels), cache, nil)
	parameters := map[string]string{"n": "100", "a": "2.5"}
	for _, c := range []struct{ function, reference, want string }{
		{"scaled", "scale", ""},
		{"wrong", "scale", "argument 4 (y): 100 of 100 elements differ"},
	} {
		got, err := callC(t, a, invocations.Invocation{Function: c.function, Parameters: parameters,
			Verify: invocations.Verification{Reference: c.reference}})
		if err != nil || (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s against %s: %q, %v; want %q", c.function, c.reference, got, err, c.want)
		}
	}
	// The reference may be in another file.
	other := buildC(t, cfunctiontest.WriteKernels(t, strings.ReplaceAll(cfunctiontest.Kernels, "2 * x", "x + x + 500")), cache, nil)
	got, err := callC(t, a, invocations.Invocation{Function: "scale", Parameters: parameters,
		Verify: invocations.Verification{Reference: "scale", Of: other}})
	if err != nil || !strings.Contains(got, "100 of 100 elements differ") {
		t.Errorf("scale against that of another file: %q, %v", got, err)
	}
	_, err = callC(t, a, invocations.Invocation{Function: "scale", Parameters: map[string]string{"n": "4"}})
	if err == nil || !strings.Contains(remedy.Told(err, nil), "no value is given for a; each a 1.5") {
		t.Errorf("a number without a value: %v", err)
	}
	_, err = callC(t, a, invocations.Invocation{Function: "rows", Parameters: map[string]string{"n": "-1", "m": "3"}})
	if err == nil || !strings.Contains(err.Error(), "n+1 is 0; a size must be at least 1") {
		t.Errorf("a size below 1: %v", err)
	}
}

// Expected outputs are those of the arrays that are not const, and then the return value.
func TestExpectedOutputs(t *testing.T) {
	a := buildC(t, cfunctiontest.WriteKernels(t, cfunctiontest.Kernels+"int both(const int x[2], int y[2], short z[1]) {\n"+
		"    y[0] += x[0]; y[1] = 7; z[0] = -1; return 42;\n}\n"), t.TempDir(), nil)
	given := []invocations.Argument{
		{Name: "x", Contents: invocations.Contents{Fill: invocations.FillConstant, Value: "3"}},
		{Name: "y", Contents: invocations.Contents{Fill: invocations.FillConstant, Value: "2"}},
	}
	for _, c := range []struct {
		expected  []string
		want, err string
	}{
		{[]string{"2xi32=5,7", "1xi16=-1", "i32=42"}, "", ""},
		{[]string{"2xi32=5,7"}, "", ""},
		{[]string{"2xi32=5,8"}, "argument 2 (y) is not as expected: 1 of 2 elements differ", ""},
		{[]string{"2xi32=5,7", "1xi16=-1", "i32=41"}, "return value is not as expected: 1 of 1 elements differ", ""},
		{[]string{"3xi32=5,7,9"}, "", "argument 2 (y) is 2xi32"},
		{[]string{"2xf32=5,7"}, "", "argument 2 (y) is 2xi32"},
		{[]string{"@gone.npy"}, "", "gone.npy"},
		{[]string{"2xi32"}, "", "the values are missing"},
		{[]string{"i32=1", "i32=1", "i32=1", "i32=1"}, "", "4 outputs are expected, and both has 3"},
	} {
		got, err := callC(t, a, invocations.Invocation{Function: "both", Arguments: given,
			Verify: invocations.Verification{Expected: c.expected}})
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v; want %q, %q", c.expected, got, err, c.want, c.err)
		}
	}
}

// Arrays have the size that their bounds say, and the function sees what was put into them.
func TestCallCWithContents(t *testing.T) {
	a := buildC(t, cfunctiontest.WriteKernels(t, cfunctiontest.Kernels), t.TempDir(), map[string]string{OptionCFlags: "-O1"})
	p, err := Runtime{}.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	inv := invocations.Invocation{Function: "rows", Parameters: map[string]string{"n": "2", "m": "5"},
		Arguments: []invocations.Argument{{Name: "x", Contents: invocations.Contents{Fill: invocations.FillIota}}}}
	call := cfunctiontest.Prepare(t, p, &inv, 0)
	const elements = 3 * 5 * 4
	memory := cfunctiontest.FirstSet[float64](call, 0, int(call.SetBytes/8))
	if len(memory) < elements || memory[elements-1] != elements-1 || slices.Max(memory[elements:]) != 0 {
		t.Errorf("there are not %d elements: %v", elements, memory)
	}
	want := 0.0
	for _, x := range memory {
		want += x
	}
	_, float := cfunctiontest.Run(t, call, 1)
	if got := math.Float64frombits(float); got != want || want == 0 {
		t.Errorf("the sum is %v, want %v", got, want)
	}
}

// Libraries, object files and archives are called by prototypes that are given.
func TestLibrariesOfC(t *testing.T) {
	source := cfunctiontest.WriteKernels(t, cfunctiontest.Kernels)
	folder := filepath.Dir(source)
	at := func(name string) string { return filepath.Join(folder, name) }
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-o", "libk.so", "kernels.c")
	cfunctiontest.CC(t, folder, "-c", "-fPIC", "-o", "k.o", "kernels.c")
	options := map[string]string{OptionPrototype: "void wrong(long n, float a, const float x[n], float y[n]); " +
		"void scale(long n, float a, const float x[n], float y[n])"}
	for _, name := range []string{"libk.so", "k.o"} {
		got, err := callC(t, buildC(t, at(name), t.TempDir(), options), invocations.Invocation{Function: "wrong",
			Parameters: map[string]string{"n": "10", "a": "2"}, Verify: invocations.Verification{Reference: "scale"}})
		if err != nil || !strings.Contains(got, "10 of 10 elements differ") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	header := at("k.h")
	if err := os.WriteFile(header, []byte("#include <stddef.h>\nvoid scale(long n, float a, const float x[n], "+
		"float y[n]);\nvoid absent(void);\nvoid wrong(float *x);\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := describeC(t, at("libk.so"), map[string]string{OptionHeader: header})
	if len(d.Functions) != 3 || d.Functions[0].Skip != "" ||
		!strings.Contains(d.Functions[1].Skip, "exports no function absent") ||
		!strings.Contains(d.Functions[2].Skip, "k.h:4:19: x has no shape") {
		t.Errorf("%+v", d.Functions)
	}
}

// A header that declares types only is enough for a prototype that is given, with its enumerators as values.
func TestHeaderOfTypes(t *testing.T) {
	folder := t.TempDir()
	source, header, library := filepath.Join(folder, "k.c"), filepath.Join(folder, "types.h"), filepath.Join(folder, "libk.so")
	for path, text := range map[string]string{
		header: "typedef long wide;\nenum mode { SLOW, FAST = 7 };\n",
		source: "#include \"types.h\"\nwide twice(wide a, enum mode m) { return m == FAST ? 2 * a : a; }\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-o", library, source)
	d := describeC(t, library, map[string]string{OptionHeader: header, OptionPrototype: "wide twice(wide a, enum mode m)"})
	if len(d.Functions) != 1 || d.Functions[0].Skip != "" || d.Functions[0].Name != "twice" {
		t.Errorf("%+v", d.Functions)
	}
}

func TestErrorsOfC(t *testing.T) {
	source := cfunctiontest.WriteKernels(t, cfunctiontest.Kernels)
	folder := filepath.Dir(source)
	library := filepath.Join(folder, "libk.so")
	cfunctiontest.CC(t, folder, "-shared", "-fPIC", "-o", library, source)
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		path    string
		options map[string]string
		want    string
	}{
		{file("syntax.c", "void f(int n, float x[n]) { x[0] = oops; }"), nil, "syntax.c:1:"},
		{file("header.c", "#include \"missing.h\"\n"), nil, "say cflags where the header is (-IFOLDER)"},
		{file("empty.c", "int x;"), nil, "it defines no function that other files can call"},
		{file("whole.c", "int main(void) { return 0; }"), nil, "the whole program:\n  cc -O2 whole.c -o whole && zonemark run -- ./whole"},
		{file("pointers.c", "void f(float *x) { *x = 1; }\n"), nil, "no function can be measured:\n" +
			"pointers.c:1:15: x has no shape; write float x[n], where n is a parameter or a number\n" +
			"  void f(float *x) { *x = 1; }\n                ^\ncall f void f(float x[1024])"},
		{file("undefined.c", "void g(void);\nvoid f(void) { g(); }"), nil, "file source the source, object or archive that defines the symbol\nor say cflags which library defines it (-lNAME)"},
		{filepath.Join(folder, "gone.c"), nil, "gone.c"},
		{library, map[string]string{OptionPrototype: "void scale(void)", OptionSource: source}, "is linked already"},
		{source, map[string]string{OptionSource: library}, "is no C or C++ source, object or archive; say cflags which"},
		{source, map[string]string{OptionSource: filepath.Join(folder, "gone.o")}, "source: stat "},
		{source, map[string]string{OptionSource: filepath.Join(folder, "gone.c")}, "source: stat "},
		{source, map[string]string{OptionCFlags: "-O3 -o x"}, `"-o" cannot be given here`},
		{source, map[string]string{OptionCFlags: "-I include"}, `"-I" cannot be given here`},
		{source, map[string]string{OptionCFlags: "x.c"}, `"x.c" is no flag; file source it`},
		{source, map[string]string{OptionCC: "no-such-compiler"}, "name a C compiler that is installed; instead no-such-compiler cc"},
		{source, map[string]string{OptionCFlags: "-03"}, "instead -03 -O2"},
		{source, map[string]string{OptionPrototype: "void scale(long n)"},
			"has 1 parameters, and its definition in line 5"},
		{source, map[string]string{OptionPrototype: "void scales(long n)"}, "it defines no function scales; instead scales scale"},
		{source, map[string]string{OptionPrototype: "void scale(lnog n)"}, "prototype:1:12: "},
		{source, map[string]string{OptionHeader: "gone.h"}, "header: "},
		{source, map[string]string{OptionHeader: file("none.h", "#define A 1\n")}, "declares no functions"},
		{library, nil, "prototype void NAME(long n, float x[n]), or file header a header"},
		{library, nil, "it exports main, rows, scale, scaled, shapeless, wrong"},
		{library, map[string]string{OptionPrototype: "void sacle(long n)"}, `did you mean "scale"?; instead sacle scale`},
		{library, map[string]string{OptionPrototype: "void scale(long n, float *x)"}, "call scale void scale(long n, float x[n]) n=4096"},
		{library, map[string]string{OptionPrototype: "void scale(uLong n)"}, "file header the header that declares it"},
		{library, map[string]string{OptionPrototype: "void scale(void)", OptionCFlags: "-O3"}, "is compiled already"},
		{file("text.so", "text"), map[string]string{OptionPrototype: "void f(void)"}, "no ELF"},
		{folder, map[string]string{OptionPrototype: "void f(void)"}, "is not a regular file"},
	} {
		_, err := Runtime{}.Describe(c.path, executor.DescribeOptions{Options: c.options, Cache: t.TempDir()})
		if err == nil || !strings.Contains(remedy.Told(err, wordsOf), c.want) {
			t.Errorf("%s %v: %v\nwant %s", filepath.Base(c.path), c.options, err, c.want)
		}
	}
}

// wordsOf returns a remedy in words, also one that says nothing by itself.
func wordsOf(r remedy.Remedy) string {
	return strings.Join(slices.DeleteFunc([]string{string(r.Kind), r.Name, r.Value, r.Parameters}, func(w string) bool { return w == "" }), " ")
}

// TestAskedFor: errors tell of all functions that are asked for, and of no others; one command calls them.
func TestAskedFor(t *testing.T) {
	text := ""
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		text += "void " + name + "(float *x, long n) { x[0] = n; }\n"
	}
	source := filepath.Join(t.TempDir(), "many.c")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		asked     []string
		want, not string
	}{
		{nil, "and 3 more\n", "many.c:6"},
		{[]string{"g", "h"}, "many.c:8:15: x has no shape", "many.c:1"},
		{[]string{"g", "h"}, "call g void g(float x[n], long n)\nvoid h(float x[n], long n) n=4096", ", or "},
		{[]string{"h"}, "call h void h(float x[n], long n) n=4096", "more"},
		{[]string{"none"}, "no function \"none\"; there are a, b, c, d, e, f, g, h; instead none a", "many.c:1"},
	} {
		_, err := Runtime{}.Describe(source, executor.DescribeOptions{Cache: t.TempDir(), Functions: c.asked})
		if told := remedy.Told(err, wordsOf); !strings.Contains(told, c.want) || strings.Contains(told, c.not) {
			t.Errorf("%v: %s\nwant %q and not %q", c.asked, told, c.want, c.not)
		}
	}
}

// The server refuses other options than these; see serving.Server.
func TestOptions(t *testing.T) {
	err := executor.CheckOptions("the runtime c", Options(), map[string]string{"cflag": "-O3"})
	if want := `the runtime c has no option "cflag"; did you mean "cflags"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
