package hat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// decoded returns a package of one function "f" with these arguments.
func decoded(t *testing.T, result string, arguments ...string) (*Package, *Function) {
	t.Helper()
	p, err := DecodePackage("x.hat", []byte(packageText("x.so", function("f", result, arguments...))))
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Functions[0]
}

func TestPrototypeErrorsNameTheArgument(t *testing.T) {
	for _, c := range []struct{ name, result, argument, want string }{
		{"zero dimension", "void", affine("a", "float*", "input", "shape = [0], affine_map = [1]"),
			"argument 2 (a): shape [0]"},
		{"negative dimension", "void", affine("a", "float*", "input", "shape = [-1], affine_map = [1]"),
			"argument 2 (a): shape [-1]"},
		{"too many bytes", "void", affine("a", "double*", "input", "shape = [4611686018427387904], affine_map = [1]"),
			"argument 2 (a): shape"},
		{"too many elements", "void", affine("a", "float*", "input", "shape = [4294967296, 4294967296]"), "64 bits"},
		{"backwards", "void", affine("a", "float*", "input", "shape = [4], affine_map = [-2], affine_offset = 5"),
			"argument 2 (a): affine_map [-2] reaches element -1; raise affine_offset to at least 6"},
		{"before", "void", affine("a", "float*", "input", "shape = [4], affine_map = [1], affine_offset = -2"),
			"argument 2 (a): affine_offset -2 is negative"},
		{"ranks", "void", affine("a", "float*", "input", "shape = [3, 4], affine_map = [1]"),
			"argument 2 (a): shape [3 4] has 2 dimensions but affine_map [1] has 1"},
		{"array by value", "void", affine("a", "float", "input", row(4)), `write "float*"`},
		{"output by value", "void", element("a", "int64_t", "output"), `write "int64_t*"`},
		{"unknown usage", "void", element("a", "int64_t", "inout"), `usage "inout"`},
		{"unknown logical type", "void", strings.Replace(element("a", "int64_t", "input"), `"element"`, `"scalar"`, 1),
			`logical_type "scalar"`},
		{"unknown element type", "void", element("a", "complex", "input"), `element_type "complex"`},
		{"array of pointers", "void", affine("a", "float**", "input", row(4)), "pointer to a pointer"},
		{"three stars", "void", affine("a", "float***", "output", row(4)), "pointer to a pointer"},
		{"native half by value", "void", element("a", "_Float16", "input"), "by address"},
		{"size of nothing", "void", runtimeArray("a", "float*", "input", "K"),
			"names K, which is no argument of this function; name an argument of logical_type element"},
		{"size of an array", "void", runtimeArray("a", "float*", "input", "x"),
			"names x, which is not an integer; name an argument of logical_type element"},
		{"size known too late", "void",
			element("N", "int64_t*", "output") + "},\n  {" + runtimeArray("a", "float*", "input", "N"),
			"only after the call"},
		{"bad size", "void", runtimeArray("a", "float*", "input", "M/2"), `size "M/2"`},
		{"structure returned", "struct s", element("a", "int", "input"), `return: element_type "struct s"`},
	} {
		p, f := decoded(t, c.result, affine("x", "float*", "input", row(4)), c.argument)
		_, err := p.prototypeOf(f)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "x.hat:7: function f") {
			t.Errorf("%s: error %v, want one that names x.hat:7, function f and says %q", c.name, err, c.want)
		}
	}
}

func TestPrototypeArguments(t *testing.T) {
	p, f := decoded(t, "int",
		element("M", "int64_t", "input"),
		affine("dense", "const float*", "input", "shape = [2, 3], affine_map = [3, 1], affine_offset = 0"),
		affine("column", "double*", "input_output", "shape = [2, 3], affine_map = [1, 2], affine_offset = 4"),
		affine("point", "int*", "output", "shape = [], affine_map = [], affine_offset = -1"), // hatlib's "not given"
		runtimeArray("rt", "uint16_t*", "input", " M * 2 "),
		runtimeArray("one", "bool*", "input", ""),
		element("out", "int32_t*", "output"),
		runtimeArray("callee", "float**", "output", "out"),
	)
	proto, err := p.prototypeOf(f)
	if err != nil {
		t.Fatal(err)
	}
	var out invocations.Function
	if err := proto.Describe(&out, nil); err != nil {
		t.Fatal(err)
	}
	want := []invocations.Argument{
		{Name: "M", Element: invocations.Int64, Usage: invocations.Input, ByValue: true},
		{Name: "dense", Element: invocations.Float32, Shape: []int64{2, 3}, Usage: invocations.Input},
		{Name: "column", Element: invocations.Float64, Shape: []int64{2, 3}, Strides: []int64{1, 2}, Offset: 4,
			Usage: invocations.InputOutput},
		{Name: "point", Element: invocations.Int32, Usage: invocations.Output},
		{Name: "rt", Element: invocations.Uint16, Extent: "M * 2", Usage: invocations.Input},
		{Name: "one", Element: invocations.Bool, Extent: "1", Usage: invocations.Input},
		{Name: "out", Element: invocations.Int32, Usage: invocations.Output},
		{Name: "callee", Element: invocations.Float32, Extent: "out", Usage: invocations.Output, Callee: true},
	}
	if diff := cmp.Diff(want, out.Arguments); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const signature = "(input int64, input float32*[2 3], input_output float64*[2 3] strides [1 2] offset 4, output " +
		"int32*, " +
		"input uint16*[#0*2], input bool*, output int32*, output float32**[#6]) int32"
	if out.Signature != signature {
		t.Errorf("signature %s,\nwant %s", out.Signature, signature)
	}
}

func TestSignatureIgnoresNames(t *testing.T) {
	signature := func(arguments ...string) string {
		p, f := decoded(t, "void", arguments...)
		proto, err := p.prototypeOf(f)
		if err != nil {
			t.Fatal(err)
		}
		var out invocations.Function
		if err := proto.Describe(&out, nil); err != nil {
			t.Fatal(err)
		}
		return out.Signature
	}
	a := signature(element("M", "int", "input"), element("N", "int", "input"),
		runtimeArray("x", "float*", "input", "M*N"))
	b := signature(element("rows", "int", "input"), element("cols", "int", "input"),
		runtimeArray("y", "float*", "input", "rows * cols"))
	c := signature(element("M", "int", "input"), element("N", "int", "input"),
		runtimeArray("x", "float*", "input", "N*M"))
	if a != b {
		t.Errorf("renaming changes the signature: %s and %s", a, b)
	}
	if a == c {
		t.Errorf("different sizes have one signature: %s", a)
	}
}

func TestResultTypes(t *testing.T) {
	for _, c := range []struct {
		logical, declared, element string
		want                       invocations.ElementType
		err                        string
	}{
		{"void", "void", "void", "", ""},
		{"void", "", "", "", ""},
		{"element", "int", "int32_t", invocations.Int32, ""},
		{"element", "double", "double", invocations.Float64, ""},
		{"element", "real_t", "float", invocations.Float32, ""},
		{"affine_array", "float*", "float", invocations.Uint64, ""},
		{"element", "_Float16", "float16_t", "", "not supported"},
		{"element", "struct s", "", "", "not supported"},
	} {
		got, err := resultOf(&Parameter{LogicalType: c.logical, DeclaredType: c.declared, ElementType: c.element},
			"linux")
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestSuggestion(t *testing.T) {
	known := []string{"gemm_slow", "gemm", "mm4_ff9c4c42480cbf03"}
	for name, want := range map[string]string{
		"gem":       "did you mean \"gemm\"?",
		"gemm_solw": "did you mean \"gemm_slow\"?",
		"mm4":       "did you mean \"mm4_ff9c4c42480cbf03\"?",
		"transpose": "there are gemm_slow, gemm, mm4_ff9c4c42480cbf03",
		"":          "there are",
	} {
		if got := spelling.SuggestOrList(name, known); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := spelling.SuggestOrList("x", nil); got != "" {
		t.Errorf("nothing is known, and yet: %q", got)
	}
}
