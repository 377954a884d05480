package cfunction

import (
	"fmt"
	"hash/fnv"
	"testing"

	"zonemark/invocations"
)

// The contents of each set follow from the seed alone. They stay as they are from version to version, so that figures
// of two versions are those of equal data. (Integers of four and eight bytes that nobody chose have become small.)
func TestContentsOfSets(t *testing.T) {
	program := load(t, newLibrary(t, "void f(float* a, int* b, short* c, int n, double* d) { }\n",
		function("f", "void", affine("a", "float*", "input", row(20)), affine("b", "int*", "input_output", row(3)),
			affine("c", "short*", "output", row(5)), element("n", "int", "input"), element("d", "double*", "input"))))
	const setBytes = 128 + 3*64
	for _, c := range []struct {
		a, b string
		sets int
		seed uint64
		want string
	}{
		{"", "", 1, 5, "474eec44dc5bc662"},
		{"random", "iota", 1, 5, "b96a38711e9adc4c"},
		{"random:3", "7", 1, 5, "548561376a696c68"},
		{"", "random", 8, 5, "afec8510714e5162"},
		{"", "random", 30, 5, "06d252cf7145838e"},
		{"", "random", 30, 6, "f7cb37828eb5d912"},
		{"iota", "0", 9, 6, "db6446690932becc"},
	} {
		inv := &invocations.Invocation{Function: "f", Measure: invocations.Measure{Seed: c.seed},
			Parameters: map[string]string{"n": "4", "d": "2.5"}}
		for name, contents := range map[string]string{"a": c.a, "b": c.b} {
			if contents != "" {
				inv.Arguments = append(inv.Arguments, input(name, contents))
			}
		}
		call := prepare(t, program, inv, int64(c.sets*setBytes))
		if len(code(call).Frames) != c.sets || call.SetBytes != int64(c.sets*setBytes) {
			t.Fatalf("%d sets of %d bytes together", len(code(call).Frames), call.SetBytes)
		}
		code(call).Lines[0].Len = uintptr(call.SetBytes)
		h := fnv.New64a()
		h.Write(firstSet[byte](call, 0, int(call.SetBytes)))
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.want {
			t.Errorf("a=%s b=%s, %d sets, seed %d: %s, want %s", c.a, c.b, c.sets, c.seed, got, c.want)
		}
	}
}
