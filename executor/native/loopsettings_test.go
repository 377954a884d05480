//go:build (amd64 || arm64) && !windows

package native

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// TestPrelude counts the calls before each batch: they are made, they use the ring of frames in turn, and they do not
// belong to the batch.
func TestPrelude(t *testing.T) {
	lib := compile(t, "calls.c")
	log := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 4096)))), 512)
	p := address(unsafe.Pointer(&log[0]))
	short := func(v int) Frame { return frameOf(p, v) }
	full := func(v int) Frame { return frameOf(p, 0.5, 0, 0, 0, 0, 0, 0, 0, v) }
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		for _, shape := range []struct {
			function string
			frame    func(int) Frame
		}{{"record", short}, {"record_full", full}} {
			for _, frames := range []int{1, 3} {
				var ring []Frame
				for i := range frames {
					ring = append(ring, shape.frame(i))
				}
				l := newTestLoop(t, c, symbol(t, lib, shape.function), ring...)
				prepare(l)
				next := 0
				for _, n := range []struct{ prelude, calls, batches int }{
					{0, 2, 3}, {1, 1, 2}, {1, 4, 3}, {3, 5, 2}, {2, 1, 1}, {-1, 2, 1},
				} {
					log[0] = 0
					l.SetPrelude(n.prelude)
					if got := len(l.Run(n.calls, n.batches)); got != n.batches {
						t.Errorf("%s, %+v: %d results", shape.function, n, got)
					}
					var want []uint64
					for range (max(0, n.prelude) + n.calls) * n.batches {
						want = append(want, uint64(next%frames))
						next++
					}
					if got := log[1 : 1+log[0]]; !slices.Equal(got, want) {
						t.Errorf("%s, %d frames, %+v: calls %v, want %v", shape.function, frames, n, got, want)
					}
				}
			}
		}
	})
}

// TestPreludeIsNotTimed checks that a prelude that is much longer than the batch does not change the batch's time.
func TestPreludeIsNotTimed(t *testing.T) {
	lib := compile(t, "calls.c")
	m := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 8<<10)))), 1<<10)
	for _, c := range clocks() {
		l := newTestLoop(t, c, symbol(t, lib, "total"), frameOf(address(unsafe.Pointer(&m[0])), len(m)))
		shortest := func(prelude int) uint64 {
			l.SetPrelude(prelude)
			return slices.Min(l.Run(10, 50))
		}
		if without, with := shortest(0), shortest(1000); with > 10*without {
			t.Errorf("%s: 10 calls take %d ticks, after a prelude of 1,000 calls %d", c.Name, without, with)
		}
	}
}

// TestStackOffset asks a function where its stack is.
func TestStackOffset(t *testing.T) {
	lib := compile(t, "calls.c")
	const none = 1 << 20 // stands for no offset
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		runtime.LockOSThread() // the stack belongs to the thread
		defer runtime.UnlockOSThread()
		for _, args := range [][]any{nil, {1.0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
			at := func(function string, offset int64) uint64 {
				l := newTestLoop(t, c, symbol(t, lib, function), frameOf(args...))
				prepare(l)
				if offset != none {
					l.SetStackOffset(offset)
				}
				l.Run(3, 2)
				got, _ := l.Returned()
				return got
			}
			base := at("stack", none)
			for offset, want := range map[int64]uint64{
				0: 0, 64: 64, 128: 128, 4096 - 128: 4096 - 128, 137: 128, 63: 0, -128: 0,
				MaxStackOffset: MaxStackOffset, 2 * MaxStackOffset: MaxStackOffset,
			} {
				if got := base - at("stack", offset); got != want {
					t.Errorf("offset %d moves the stack down by %d bytes, want %d", offset, int64(got), want)
				}
				if off := at("misalignment", offset); off != 0 {
					t.Errorf("offset %d misaligns the stack by %d", offset, off)
				}
			}
		}
	})
}

// TestEmptyHasTheSettings checks that the empty loop has the settings of the original.
func TestEmptyHasTheSettings(t *testing.T) {
	lib := compile(t, "calls.c")
	l := newTestLoop(t, Clock{Name: counterName}, symbol(t, lib, "nothing"), frameOf(1))
	l.SetPrelude(7)
	l.SetStackOffset(256)
	e, err := l.Empty()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.control.prelude != 7 || e.stackOffset != 256 {
		t.Errorf("prelude %d, stack offset %d", e.control.prelude, e.stackOffset)
	}
}
