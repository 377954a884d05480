//go:build (amd64 || arm64) && !windows

package native

import (
	"runtime"
	"testing"
	"unsafe"

	"zonemark/executor/dl"
)

func TestLatch(t *testing.T) {
	calls := 0
	// The function fails once, in the third call, and returns a result that only this failure has.
	f := dl.Callback(func(a, b uintptr) uintptr {
		calls++
		if a != 5 || b != 6 {
			return 1
		}
		if calls == 3 {
			return 1<<63 | 7
		}
		return 0
	})
	status := new(uintptr)
	var pinner runtime.Pinner
	pinner.Pin(status)
	defer pinner.Unpin()
	var frame Frame
	for _, word := range []uint64{uint64(f), 5, 6, uint64(uintptr(unsafe.Pointer(status)))} {
		frame.Int(word)
	}
	l, err := NewLoop(MonotonicClock(), LatchEntry(), []Frame{frame})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.Run(2, 1)
	if calls != 2 || *status != 0 {
		t.Errorf("%d calls, status %#x", calls, *status)
	}
	l.Run(5, 1)
	if calls != 3 || *status != 1<<63|7 {
		t.Errorf("%d calls, status %#x: want none after the one that failed", calls, *status)
	}
	*status = 0
	l.Run(2, 1)
	if calls != 5 || *status != 0 {
		t.Errorf("%d calls, status %#x: want two more", calls, *status)
	}
}
