//go:build (amd64 || arm64) && !windows

package native

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"unsafe"
)

// spoilers returns what functions of conventions.c do not keep, by their names.
func spoilers() map[string][]string {
	list := map[string][]string{"divides": nil, "pops": {"the stack pointer"}}
	numbers := []int{0, 1, 2, 3, 4, 5}
	if runtime.GOARCH == "arm64" {
		numbers = []int{0, 1, 9, 10, 11, 18}
		list["flushes"] = []string{"FPCR"}
	} else {
		list["flushes"] = []string{"the control bits of MXCSR"}
		list["rounds"] = []string{"the x87 control word"}
		list["goes_down"] = []string{"the direction flag"}
		list["leaves_number"] = []string{"the x87 registers empty"}
		list["leaves_mmx"] = []string{"the x87 registers empty"}
		list["loses_all"] = []string{"rbx", "rbp", "r12", "r13", "r14", "r15"}
	}
	for _, n := range numbers {
		list["loses_"+strconv.Itoa(n)] = []string{kept()[n].name}
	}
	return list
}

func TestWhatFunctionsDoNotKeep(t *testing.T) {
	lib := compile(t, "conventions.c")
	runtime.LockOSThread() // the state of floating-point arithmetic belongs to the thread
	defer runtime.UnlockOSThread()
	m := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 64)))), 8)
	p := address(unsafe.Pointer(&m[0]))
	for name, want := range spoilers() {
		for _, f := range []Frame{frameOf(p), frameOf(p, 1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10)} {
			m[0] = 0
			l := newTestLoop(t, MonotonicClock(), symbol(t, lib, name), f)
			err := l.RunChecked(3)
			var got []string
			var unkept *Unkept
			if errors.As(err, &unkept) {
				got = unkept.What
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want that it does not keep %q", name, err, want)
			}
			calls := uint64(1) // it ends with the first call that is wrong
			if want == nil {
				calls = 3
			}
			if m[0] != calls {
				t.Errorf("%s was called %d times, want %d", name, m[0], calls)
			}
			half := 0x1p-1022 / float64(len(t.Name()))
			if half == 0 {
				t.Errorf("%s: denormal numbers are flushed to zero in Go", name)
			}
		}
	}
}

func TestCheckedCallsAreCalls(t *testing.T) {
	lib := compile(t, "calls.c")
	m := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 4096)))), 1024)
	out, in := address(unsafe.Pointer(&m[0])), address(unsafe.Pointer(&m[512]))
	m[512] = 7.5
	args := []any{out, -11, 2.25, float32(3.5), 12345, float32(4.5), 200, 5.5, in, -3, float32(6.5), 8.5}
	l := newTestLoop(t, MonotonicClock(), symbol(t, lib, "mixed"), frameOf(args...))
	l.Run(1, 1)
	want := slices.Clone(m[:512])
	clear(m[:512])
	if err := l.RunChecked(1); err != nil || !slices.Equal(m[:512], want) {
		t.Errorf("%v: a checked call does not get the arguments of others", err)
	}

	// Frames have turns, as in other calls, and results are returned.
	l = newTestLoop(t, MonotonicClock(), symbol(t, lib, "halved"), frameOf(3.0), frameOf(5.0))
	var got []float64
	for range 3 {
		if err := l.RunChecked(1); err != nil {
			t.Fatal(err)
		}
		_, f := l.Returned()
		got = append(got, *(*float64)(unsafe.Pointer(&f)))
	}
	if !slices.Equal(got, []float64{1.5, 2.5, 1.5}) {
		t.Errorf("the calls have returned %v", got)
	}
}
