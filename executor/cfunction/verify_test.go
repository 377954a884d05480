package cfunction

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
)

const productCode = `#include <math.h>
#define AT(m, i, j) m[1 + 8*(i) + (j)] /* 4 rows of 4 in lines of 8, one element in front */
void reference(const float* a, const float* b, float* c)
{ for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { float s = 0;
    for (int k = 0; k < 4; k++) s += AT(a,i,k)*AT(b,k,j); AT(c,i,j) += s; } }
void reordered(const float* a, const float* b, float* c)
{ for (int j = 3; j >= 0; j--) for (int i = 0; i < 4; i++)
    for (int k = 3; k >= 0; k--) AT(c,i,j) += AT(a,i,k)*AT(b,k,j); }
void padding(const float* a, const float* b, float* c)
{ reference(a, b, c); c[0] = 99; for (int i = 0; i < 3; i++) c[1 + 8*i + 6] = 99; }
void wrong(const float* a, const float* b, float* c) { reference(a, b, c); AT(c,2,1) += 1; }
void nan_out(const float* a, const float* b, float* c) { reference(a, b, c); AT(c,0,0) = NAN; }
void other(const float* a, float* c) { }
int answer(int x) { return x + 1; }
int wrong_answer(int x) { return x + 2; }
double half(double x) { return x / 2; }
double third(double x) { return x / 3; }
void swap(float* a, float* b) { float t = a[0]; a[0] = b[0]; b[0] = t; }
void noswap(float* a, float* b) { }
`

func productPackage(t *testing.T) executor.Program {
	layout := Affine{[]int64{4, 4}, []int64{8, 1}, 1}
	a := affine("a", "const float*", "input", layout)
	b := affine("b", "const float*", "input", layout)
	c := affine("c", "float*", "input_output", layout)
	var functions []Function
	for _, name := range []string{"reference", "reordered", "padding", "wrong", "nan_out"} {
		functions = append(functions, function(name, "void", a, b, c))
	}
	functions = append(functions, function("other", "void", a, c))
	for _, name := range []string{"answer", "wrong_answer"} {
		functions = append(functions, function(name, "int", element("x", "int", "input")))
	}
	for _, name := range []string{"half", "third"} {
		functions = append(functions, function(name, "double", element("x", "double", "input")))
	}
	for _, name := range []string{"swap", "noswap"} { // they write, but declare no outputs
		functions = append(functions,
			function(name, "void", affine("a", "float*", "input", row(1)), affine("b", "float*", "input", row(1))))
	}
	functions = append(functions, function("idle", "void", element("x", "int", "input")))
	return load(t, newLibrary(t, productCode+"void idle(int x) {}\n", functions...))
}

func TestVerify(t *testing.T) {
	program := productPackage(t)
	for _, c := range []struct {
		function, reference string
		want                []string // empty if they agree
	}{
		{"reference", "reference", nil},
		{"reordered", "reference", nil},
		{"padding", "reference", nil},
		{"wrong", "reference",
			[]string{"argument 3 (c)", "1 of 16 elements", "element 9", "got", "want", "relative error",
				"shape [4 4]"}},
		{"nan_out", "reference", []string{"argument 3 (c)", "element 0", "NaN"}},
		{"answer", "answer", nil},
		{"wrong_answer", "answer", []string{"return value", "got 3, want 2"}},
		{"third", "half", []string{"return value"}},
		{"half", "half", nil},
		{"noswap", "swap", []string{"argument 1 (a)", "argument 2 (b)"}},
	} {
		inv := &invocations.Invocation{
			Function: c.function,
			Verify:   invocations.Verification{Reference: c.reference},
			Measure:  invocations.Measure{Seed: 3},
		}
		call := prepare(t, program, inv, 0)
		var before []byte
		if len(code(call).Lines) > 0 {
			before = slices.Clone(firstSet[byte](call, 0, int(call.SetBytes)))
		}
		var phases []string
		mismatch, err := call.Verify(func(name string) { phases = append(phases, name) })
		if err != nil {
			t.Errorf("%s: %v", c.function, err)
			continue
		}
		if c.want == nil && mismatch != "" {
			t.Errorf("%s differs from %s: %s", c.function, c.reference, mismatch)
		}
		for _, want := range c.want {
			if !strings.Contains(mismatch, want) {
				t.Errorf("%s: the mismatch %q lacks %q", c.function, mismatch, want)
			}
		}
		if !slices.Equal(phases, []string{"reference", "verify"}) {
			t.Errorf("phases %v", phases)
		}
		if before != nil && !slices.Equal(before, firstSet[byte](call, 0, int(call.SetBytes))) {
			t.Errorf("%s: verifying changed the arguments that are measured", c.function)
		}
		if before != nil { // what calls have left there
			for i, set := 0, firstSet[byte](call, 0, int(call.SetBytes)); i < len(set); i++ {
				set[i] ^= 0x55
			}
		}
		if again, err := call.VerifyAgain(func(string) {}); err != nil || again != mismatch {
			t.Errorf("%s: compared after timed calls: %q, %v; before them: %q", c.function, again, err, mismatch)
		}
	}
}

// TestReferenceIsCalledOnce: many variants are compared with one call of the reference, as long as it would write the same
// again.
func TestReferenceIsCalledOnce(t *testing.T) {
	number := element("n", "int", "input")
	x := affine("x", "float*", "input_output", row(2))
	program := load(t, newLibrary(t, `
static int calls;
void reference(int n, float* x) { x[0] = n; x[1] = ++calls; }
void variant(int n, float* x) { x[0] = n; x[1] = 1; }
void other(int n, float* x) { reference(n, x); }
`, function("reference", "void", number, x), function("variant", "void", number, x), function("other", "void", number, x)))
	for _, c := range []struct {
		name, reference string
		n               string
		seed            uint64
		equal           bool
	}{
		{"first", "reference", "3", 1, true},
		{"again", "reference", "3", 1, true},
		{"other arguments", "reference", "4", 1, false},
		{"again after others", "reference", "3", 1, false},
		{"another seed", "reference", "3", 2, false},
		{"another reference", "other", "3", 2, false},
	} {
		inv := &invocations.Invocation{
			Function: "variant", Measure: invocations.Measure{Seed: c.seed},
			Verify:     invocations.Verification{Reference: c.reference},
			Parameters: map[string]string{"n": c.n},
		}
		call := prepare(t, program, inv, 0)
		for _, verify := range []func(func(string)) (string, error){call.Verify, call.VerifyAgain} {
			if mismatch, err := verify(func(string) {}); err != nil || (mismatch == "") != c.equal {
				t.Errorf("%s: %q, %v", c.name, mismatch, err)
			}
		}
	}
}

func TestVerifyTolerance(t *testing.T) {
	program := productPackage(t)
	inv := &invocations.Invocation{
		Function: "wrong",
		Verify:   invocations.Verification{Reference: "reference", Tolerance: 10},
	}
	if mismatch, err := prepare(t, program, inv, 0).Verify(func(string) {}); mismatch != "" || err != nil {
		t.Errorf("within a tolerance of 10: %q, %v", mismatch, err)
	}
}

func TestPrepareErrors(t *testing.T) {
	program := productPackage(t)
	for _, c := range []struct {
		name string
		inv  invocations.Invocation
		want string
	}{
		{"no such function", invocations.Invocation{Function: "refrence"}, "did you mean \"reference\""},
		{"no such reference",
			invocations.Invocation{Function: "wrong", Verify: invocations.Verification{Reference: "right"}},
			`no function "right"`},
		{"reference of another signature",
			invocations.Invocation{Function: "wrong", Verify: invocations.Verification{Reference: "other"}},
			"same signature"},
		{"nothing to compare",
			invocations.Invocation{Function: "idle", Verify: invocations.Verification{Reference: "idle"}},
			"returns nothing"},
		{"no such argument",
			invocations.Invocation{Function: "other", Arguments: []invocations.Argument{input("b", "1")}},
			`no argument "b"`},
		{"too many arguments", invocations.Invocation{Function: "idle", Arguments: make([]invocations.Argument, 2)},
			"it takes 1"},
		{"other shape",
			invocations.Invocation{
				Function:  "other",
				Arguments: []invocations.Argument{{Name: "a", Shape: []int64{16}}},
			}, "has shape [4 4]"},
		{"other type",
			invocations.Invocation{
				Function:  "other",
				Arguments: []invocations.Argument{{Name: "a", Element: invocations.Float64}},
			}, "is float32"},
		{"bad contents",
			invocations.Invocation{Function: "other", Arguments: []invocations.Argument{input("a", "none.npy")}},
			"argument 1 (a)"},
	} {
		if _, err := program.Prepare(&c.inv, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
}

func TestMissingSymbolFailsAlone(t *testing.T) {
	program := load(t,
		newLibrary(t, "void g(void) {}\nvoid (*alias)(void) = g;\n", function("g", "void"), function("gone", "void"),
			function("alias", "void")))
	prepare(t, program, &invocations.Invocation{Function: "g"}, 0)
	for _, name := range []string{"gone", "alias"} {
		_, err := program.Prepare(&invocations.Invocation{Function: name}, 0)
		var unsupported *executor.UnsupportedError
		if err == nil || errors.As(err, &unsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want one that fails and names it", name, err)
		}
	}
}

func TestTooLargeForMemory(t *testing.T) {
	program := load(t, newLibrary(t, "void f(long n, float* a, float* b) {}\n", function("f", "void",
		element("n", "int64_t", "input"), runtimeArray("a", "float*", "input", "n"),
		runtimeArray("b", "float*", "input", "n"))))
	for _, n := range []string{"1000000000000000", "2000000000000000000"} {
		_, err := program.Prepare(&invocations.Invocation{Function: "f", Parameters: map[string]string{"n": n}}, 0)
		var memory *executor.MemoryError
		if !errors.As(err, &memory) || !strings.Contains(err.Error(), "f need") {
			t.Errorf("n=%s: error %v, want a *executor.MemoryError that names f", n, err)
		}
	}
}

func TestInitializeIsCalledOnce(t *testing.T) {
	program := load(t, newLibrary(t, `static int ready;
static float* kept;
void Pkg_Initialize(float* table) { ready++; kept = table; table[0] = 7; }
void f(float* out) { out[0] = ready; out[1] = kept[0]; }
`, function("f", "void", affine("out", "float*", "output", row(2))),
		setUp(function("Pkg_Initialize", "void", affine("table", "float*", "output", row(4))))))
	for range 2 {
		call := prepare(t, program, &invocations.Invocation{Function: "f"}, 0)
		run(t, call, 1)
		if got := firstSet[float32](call, 0, 2); got[0] != 1 || got[1] != 7 {
			t.Errorf("set up %v times, table starts with %v", got[0], got[1])
		}
	}
}

func TestFailedSetUpFailsEveryFunction(t *testing.T) {
	program := load(t, newLibrary(t, "void f(void) {}\n", setUp(function("Pkg_Initialize", "void")),
		function("f", "void")))
	for range 2 {
		_, err := program.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err == nil || !strings.Contains(err.Error(), "set-up function Pkg_Initialize") {
			t.Errorf("error %v", err)
		}
	}
}
