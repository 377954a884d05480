package native

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// Rewind has the next call use the first frame again, wherever the last one has ended.
func TestRewind(t *testing.T) {
	if CopyEntry() == 0 {
		return // this system has no such function
	}
	from, to := []uint64{7}, make([]uint64, 3)
	frames := make([]Frame, len(to))
	for k := range frames {
		frames[k].Int(uint64(uintptr(unsafe.Pointer(&from[0]))))
		frames[k].Int(uint64(uintptr(unsafe.Pointer(&to[k]))))
	}
	loop, err := NewLoop(MonotonicClock(), CopyEntry(), frames)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = loop.Close() })
	for _, c := range []struct {
		rewind bool
		calls  int
		want   []uint64
	}{
		{false, 2, []uint64{7, 7, 0}}, {true, 1, []uint64{7, 0, 0}}, {false, 1, []uint64{0, 7, 0}},
		{true, 3, []uint64{7, 7, 7}}, {true, 1, []uint64{7, 0, 0}},
	} {
		if clear(to); c.rewind {
			loop.Rewind()
		}
		if loop.Run(c.calls, 1); !slices.Equal(to, c.want) {
			t.Errorf("%+v: %d", c, to)
		}
	}
	runtime.KeepAlive(from)
}
