package cfunction

import (
	"testing"

	"zonemark/executor"
	"zonemark/executor/dl/dltest"
	"zonemark/executor/platform"
	"zonemark/executor/platform/exchangetest"
	"zonemark/invocations"
)

// Arguments that move have the contents again that they had at first, and calls find them.
func TestMove(t *testing.T) {
	library := newLibrary(t, "void step(const float* a, float* b) { for (int i = 0; i < 20000; i++) b[i] += a[i]; }\n"+
		"void* given; void make(float** b) { *b = 0; }",
		function("step", "void", affine("a", "const float*", "input", row(20000)),
			affine("b", "float*", "input_output", row(20000))),
		function("make", "void", runtimeArray("b", "float**", "output", "20000")))
	placer := load(t, library).(executor.Placer)
	shared := platform.Shared{Exchange: exchangetest.New(t, 1<<18)}
	inv := &invocations.Invocation{Function: "step",
		Arguments: []invocations.Argument{input("a", "iota"), input("b", "constant:1")}}
	call, err := placer.PrepareIn(inv, 0, shared)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	const offset = 80_000 // of b
	for part := range 4 {
		run(t, call, 2)
		if b := firstSet[float32](call, offset, 20000); b[3] != 7 || b[19999] != 1+2*19999 {
			t.Errorf("after two calls and %d moves, b has %v and %v", part, b[3], b[19999])
		}
		if err := call.Move(platform.Shared{Exchange: shared.Exchange, Part: (part + 1) % 2}); err != nil {
			t.Fatal(err)
		}
	}
	if err := call.Move(platform.Shared{Exchange: shared.Exchange, Part: 2}); err == nil {
		t.Error("arguments moved to a part that there is not")
	}
}

// The code of a library lies in memory of the process's own, so that launches differ in its physical places.
func TestOwnCode(t *testing.T) {
	library := newLibrary(t, "int one(void) { return 1; }", function("one", "int"))
	load(t, library)
	if size, own := dltest.Code(t, library.File.Path); size == 0 || own != size {
		t.Errorf("%d of %d KiB of code are the process's own", own, size)
	}
}
