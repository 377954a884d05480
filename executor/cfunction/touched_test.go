package cfunction

import (
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestTouched: a function that changes what it declares const, or writes behind its array, is told. Both used to be
// measured without a word.
func TestTouched(t *testing.T) {
	x, y := runtimeArray("x", "const double*", "input", "N"), runtimeArray("y", "double*", "output", "N")
	n := element("N", "int64_t", "input")
	program := load(t, newLibrary(t, `#include <stdint.h>
void keeps(int64_t N, const double* x, double* y) { for (int64_t i = 0; i < N; i++) y[i] = x[i] + 1; }
void changes(int64_t N, const double* x, double* y) { ((double*)x)[N - 1]++; keeps(N, x, y); }
void strays(int64_t N, const double* x, double* y) { y[N] = 1; keeps(N, x, y); }`,
		function("keeps", "void", n, x, y), function("changes", "void", n, x, y), function("strays", "void", n, x, y)))
	for _, c := range []struct {
		function       string
		inputs, behind string
	}{{"keeps", "", ""}, {"changes", "(x)", ""}, {"strays", "", "(y)"}} {
		call := prepare(t, program, &invocations.Invocation{
			Function: c.function, Parameters: map[string]string{"N": "100"},
		}, 0)
		run(t, call, 3)
		got := call.Touched()
		if inputs, behind := strings.Join(got.Inputs, ""), strings.Join(got.Behind, ""); !strings.HasSuffix(inputs, c.inputs) ||
			!strings.HasSuffix(behind, c.behind) || (inputs == "") != (c.inputs == "") || (behind == "") != (c.behind == "") {
			t.Errorf("%s: %+v", c.function, got)
		}
	}
}

// TestNothingToFlush: a function without arrays is not measured with cold caches, and its row says so.
func TestNothingToFlush(t *testing.T) {
	program := load(t, newLibrary(t, `float table[1000];
float sum(void) { float s = 0; for (int i = 0; i < 1000; i++) s += table[i]; return s; }
float first(const float* x) { return *x; }`,
		function("sum", "float"), function("first", "float", affine("x", "const float*", "input", Affine{Shape: []int64{4}}))))
	for _, c := range []struct {
		function string
		mode     invocations.Mode
		want     bool
	}{{"sum", invocations.Flush, true}, {"sum", invocations.Warm, false}, {"first", invocations.Flush, false}} {
		call := prepare(t, program, &invocations.Invocation{
			Function: c.function, Measure: invocations.Measure{Mode: c.mode},
		}, 0)
		told := func(note string) bool { return strings.Contains(note, "nothing is evicted") }
		if slices.ContainsFunc(call.Notes, told) != c.want {
			t.Errorf("%s in mode %s: %q", c.function, c.mode, call.Notes)
		}
	}
}
