package cfunction

import (
	"testing"

	"zonemark/executor/rounds/learned"
	"zonemark/invocations"
)

// TestDraws: a function with random contents has sets that can be put into other orders.
func TestDraws(t *testing.T) {
	x, n := runtimeArray("x", "const double*", "input", "N"), element("N", "int64_t", "input")
	program := load(t, newLibrary(t, `#include <stdint.h>
double first(int64_t N, const double* x) { return x[0]; }
int64_t none(int64_t N) { return N; }`, function("first", "double", n, x), function("none", "int64_t", n)))
	of512 := map[string]string{"N": "512"}
	call := prepare(t, program, &invocations.Invocation{Function: "first", Parameters: of512}, 0)
	draws, err := code(call).Draws(learned.Sets)
	if err != nil || len(draws.Frames) != 8 {
		t.Fatalf("%+v, %v", draws, err)
	}
	draws.Free()
	if draws, err := code(call).Draws(func(int64) int { return 0 }); draws != nil || err != nil {
		t.Errorf("no sets: %v, %v", draws, err)
	}
	given := &invocations.Invocation{Function: "first", Parameters: of512, Arguments: []invocations.Argument{input("x", "1")}}
	for _, inv := range []*invocations.Invocation{given, {Function: "none", Parameters: of512}} {
		if call := prepare(t, program, inv, 0); code(call).Draws != nil {
			t.Errorf("%s: there is nothing to draw", inv.Function)
		}
	}
}
