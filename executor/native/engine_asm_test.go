//go:build (amd64 || arm64) && !windows

package native

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"zonemark/executor/dl"
)

func TestRegistersAreKept(t *testing.T) {
	lib := compile(t, "calls.c")
	m := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 64)))), 8)
	p := address(unsafe.Pointer(&m[0]))
	kept := symbol(t, lib, "kept")
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		for _, f := range []Frame{frameOf(p), frameOf(p, 1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10)} {
			m[0] = 0
			l := newTestLoop(t, c, symbol(t, lib, "spoil"), f)
			prepare(l)
			l.SetFlush([]Range{{uintptr(p), 64}})
			l.Run(3, 1) // makes results
			l.control.calls, l.control.batches = 5, 1
			l.control.results = uintptr(unsafe.Pointer(unsafe.SliceData(l.results)))
			if lost := dl.Call(kept, l.code.loop, uintptr(unsafe.Pointer(&l.control))); lost != 0 {
				t.Errorf("the loop spoils callee-saved registers %#x", lost)
			}
			l.Run(1000, 4)
			runtime.KeepAlive(l)
			if want := uint64(3 + 5 + 4000); m[0] != want {
				t.Errorf("%d calls of a function that spoils what it may, want %d", m[0], want)
			}
		}
	})
}

func TestFlushDenormals(t *testing.T) {
	lib := compile(t, "calls.c")
	runtime.LockOSThread() // the state belongs to the thread
	defer runtime.UnlockOSThread()
	const smallestNormal = 0x1p-1022
	for _, on := range []bool{true, false} {
		l := newTestLoop(t, Clock{Name: counterName}, symbol(t, lib, "halved"), frameOf(smallestNormal))
		l.SetFlushDenormals(on)
		l.Run(3, 1)
		if _, f := l.Returned(); (math.Float64frombits(f) == 0) != on {
			t.Errorf("half of the smallest normal number is %g, flushing %v", math.Float64frombits(f), on)
		}
		if half := smallestNormal / float64(len(t.Name())); half == 0 {
			t.Error("denormal numbers are flushed to zero in Go")
		}
	}
}
