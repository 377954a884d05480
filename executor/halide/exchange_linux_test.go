package halide

import (
	"bytes"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/platform/exchangetest"
)

// Arguments that move are described and filled again, and calls find them.
func TestMove(t *testing.T) {
	inv := invocation(t, inC(t), "wide", "in=iota")
	shared := platform.Shared{Exchange: exchangetest.New(t, 1<<18)}
	call, err := load(t, inv).(executor.Placer).PrepareIn(inv, 1<<16, shared)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	lines := code(call).Lines[0]
	set := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&lines.Addr))), lines.Len)
	fresh := bytes.Clone(set)
	for part := range 4 {
		if !bytes.Equal(set, fresh) {
			t.Errorf("after %d moves, the first set is another one", part)
		}
		if err := callTimes(t, call, 2*max(1, len(code(call).Frames))); err != nil {
			t.Error(err)
		}
		if bytes.Equal(set, fresh) {
			t.Errorf("after %d moves, calls change nothing", part)
		}
		if err := call.Move(platform.Shared{Exchange: shared.Exchange, Part: (part + 1) % 2}); err != nil {
			t.Fatal(err)
		}
	}
}
