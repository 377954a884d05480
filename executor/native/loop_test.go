//go:build !windows

package native

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor/dl"
)

func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// frameOf appends arguments by their Go type.
func frameOf(args ...any) Frame {
	var f Frame
	for _, a := range args {
		switch v := a.(type) {
		case int:
			f.Int(uint64(v))
		case uint64:
			f.Int(v)
		case float32:
			f.Float32(v)
		case float64:
			f.Float64(v)
		}
	}
	return f
}

func TestArgumentsReachTheCallee(t *testing.T) {
	lib := compile(t, "calls.c")
	m := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 4096)))), 1024)
	out, in := address(unsafe.Pointer(&m[0])), address(unsafe.Pointer(&m[512]))
	at := func(i int) uint64 { return address(unsafe.Pointer(&m[i])) }
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		call := func(name string, args ...any) {
			t.Helper()
			clear(m[:512])
			m[512] = 7.5
			l := newTestLoop(t, c, symbol(t, lib, name), frameOf(args...))
			prepare(l)
			l.Run(2, 2)
		}
		expect := func(name string, got, want []float32) {
			t.Helper()
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}

		call("mixed", out, -11, 2.25, float32(3.5), 12345, float32(4.5), 200, 5.5, in, -3, float32(6.5), 8.5)
		expect("mixed", m[:11], []float32{-11, 2.25, 3.5, 12345, 4.5, 200, 5.5, 7.5, -3, 6.5, 8.5})

		call("few", out, -11, 2.25, 12345, 200, float32(3.5))
		expect("few", m[:5], []float32{4 * -11, 4 * 2.25, 4 * 12345, 4 * 200, 4 * 3.5}) // of four calls

		for i := range 11 {
			m[600+i] = float32(i + 2)
		}
		call("pointers", at(600), at(601), at(602), at(603), at(604), at(605),
			at(606), at(607), at(608), at(609), at(610), at(0))
		expect("pointers", m[:1], []float32{572}) // sum of (i+1)(i+2) for i = 0 … 10

		if !packsStack {
			args := []any{out}
			for i := range 10 {
				args = append(args, float32(i+1))
			}
			call("floats", args...)
			expect("floats", m[:1], []float32{385})
		}
	})
}

func TestReturnedValues(t *testing.T) {
	lib := compile(t, "calls.c")
	var interleaved, many []any
	var wantInterleaved float64
	for i := range 10 {
		interleaved = append(interleaved, 100+i, float64(i)+0.5)
		wantInterleaved += float64((i+1)*(100+i)) + 1e-3*float64(i+1)*(float64(i)+0.5)
	}
	wantMany := uint64(0)
	for block := 3; block >= 0; block-- {
		sum := uint64(0)
		for i := 7; i >= 0; i-- {
			sum = sum*3 + uint64(8*block+i+1)*1000003
		}
		wantMany = wantMany*7 + sum
	}
	for i := range 32 {
		many = append(many, (i+1)*1000003)
	}
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		returned := func(name string, args ...any) (uint64, float64, float32) {
			t.Helper()
			l := newTestLoop(t, c, symbol(t, lib, name), frameOf(args...))
			prepare(l)
			l.Run(3, 2)
			i, f := l.Returned()
			return i, math.Float64frombits(f), math.Float32frombits(uint32(f))
		}
		if got, _, _ := returned("twice", 21); int32(got) != 42 {
			t.Errorf("twice(21) = %d", int32(got))
		}
		if got, _, _ := returned("twice", -21); int32(got) != -42 {
			t.Errorf("twice(-21) = %d", int32(got))
		}
		if _, got, _ := returned("half", 5.0); got != 2.5 {
			t.Errorf("half(5) = %g", got)
		}
		if _, _, got := returned("halff", float32(5)); got != 2.5 {
			t.Errorf("halff(5) = %g", got)
		}
		if _, got, _ := returned("interleaved", interleaved...); math.Abs(got-wantInterleaved) > 1e-9 {
			t.Errorf("interleaved = %.12g, want %.12g", got, wantInterleaved)
		}
		if got, _, _ := returned("many", many...); got != wantMany {
			t.Errorf("many = %d, want %d", got, wantMany)
		}
		if runtime.GOOS != "darwin" || runtime.GOARCH != "arm64" { // Apple passes variadic arguments on the stack
			if _, got, _ := returned("variadic", 3, 1.5, 2.5, 3.5); got != 17 {
				t.Errorf("variadic = %g, want 17", got)
			}
			if _, got, _ := returned("variadic", 0); got != 0 {
				t.Errorf("variadic without floats = %g, want 0", got)
			}
		}
		if got, _, _ := returned("deep", 6); got != 7 {
			t.Errorf("deep = %d, want 7", got)
		}
		if got, _, _ := returned("misalignment"); got != 0 {
			t.Errorf("the stack is misaligned by %d", got)
		}
		if got, _, _ := returned("misalignment", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); got != 0 {
			t.Errorf("the stack is misaligned by %d with stack arguments", got)
		}
		if got, _, _ := returned("direction_flag"); got != 0 {
			t.Error("the direction flag is set")
		}
	})
}

func TestFramesTakeTurns(t *testing.T) {
	lib := compile(t, "calls.c")
	log := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 4096)))), 512)
	short := func(v int) Frame { return frameOf(address(unsafe.Pointer(&log[0])), v) }
	full := func(v int) Frame { return frameOf(address(unsafe.Pointer(&log[0])), 0.5, 0, 0, 0, 0, 0, 0, 0, v) }
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		for _, shape := range []struct {
			function string
			frame    func(int) Frame
		}{{"record", short}, {"record_full", full}} {
			log[0] = 0
			frames := []Frame{shape.frame(1), shape.frame(2), shape.frame(3)}
			l := newTestLoop(t, c, symbol(t, lib, shape.function), frames...)
			prepare(l)
			frames[1] = shape.frame(99) // the loop has its own copy
			if n := len(l.Run(4, 2)); n != 2 {
				t.Errorf("%d results, want 2", n)
			}
			if n := len(l.Run(2, 1)); n != 1 {
				t.Errorf("%d results, want 1", n)
			}
			want := []uint64{10, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1}
			if d := cmp.Diff(want, log[:11]); d != "" {
				t.Errorf("%s (-want +got):\n%s", shape.function, d)
			}
		}
	})
}

// TestIntegerPaths tests the paths of calls whose arguments are all in integer registers: one frame or several, few
// arguments or many, an odd or an even number of calls.
func TestIntegerPaths(t *testing.T) {
	lib := compile(t, "calls.c")
	m := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 64)))), 8)
	p := address(unsafe.Pointer(&m[0]))
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		for _, integers := range []int{4, 6} {
			f, want := frameOf(p), uint64(0)
			for i, weight := 1, uint64(1); i < integers; i, weight = i+1, weight*10 {
				f.Int(uint64(i))
				want += uint64(i) * weight
			}
			weigh := symbol(t, lib, fmt.Sprint("weigh", integers))
			for _, frames := range []int{1, 2} {
				l := newTestLoop(t, c, weigh, slices.Repeat([]Frame{f}, frames)...)
				prepare(l)
				for calls := 1; calls < 8; calls++ {
					m[0] = 0
					l.Run(calls, 3)
					got, _ := l.Returned()
					if m[0] != uint64(3*calls) || got != want {
						t.Errorf("%d integers, %d frames: %d calls instead of %d, result %d instead of %d",
							integers, frames, m[0], 3*calls, got, want)
					}
				}
			}
		}
	})
}

func TestFlushKeepsContents(t *testing.T) {
	lib := compile(t, "calls.c")
	const n = 1000
	m := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(offHeap(t, 8*n)))), n)
	want := uint64(0)
	for i := range m {
		m[i] = uint64(i) * 12345
		want += m[i]
	}
	p := uintptr(unsafe.Pointer(&m[0]))
	// Ranges that start and end within a line, one of a byte, an empty one, and the whole.
	lines := []Range{{p + 3, 70}, {p + 777, 1}, {p, 0}, {p, 8 * n}}
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		for _, optimized := range []bool{false, hasOptimizedFlush()} {
			l := newTestLoop(t, c, symbol(t, lib, "total"), frameOf(uint64(p), n))
			prepare(l)
			l.flag(flagFlushOptimized, optimized)
			l.SetFlush(lines)
			l.Run(1, 20)
			if got, _ := l.Returned(); got != want {
				t.Errorf("total after eviction = %d, want %d", got, want)
			}
			l.SetFlush([]Range{{p, 0}})
			l.SetFlush(nil)
			if got := len(l.Run(1, 3)); got != 3 {
				t.Errorf("%d results without eviction, want 3", got)
			}
		}
	})
}

func TestFloatingPointStateIsRestored(t *testing.T) {
	lib := compile(t, "calls.c")
	runtime.LockOSThread() // the state belongs to the thread
	defer runtime.UnlockOSThread()
	words := symbol(t, lib, "control_words")
	before := dl.Call(words)
	l := newTestLoop(t, Clock{Name: counterName}, symbol(t, lib, "disturb"), frameOf())
	l.Run(1, 1)
	if after := dl.Call(words); after != before {
		t.Errorf("floating-point control words are %#x, were %#x", after, before)
	}
	x := newTestLoop(t, Clock{Name: counterName}, symbol(t, lib, "x87"), frameOf(1.5))
	x.Run(1, 1)
	if _, f := x.Returned(); math.Float64frombits(f) != 4.5 {
		t.Errorf("x87(1.5) = %g, want 4.5: the register stack was left full", math.Float64frombits(f))
	}
	if tiny := math.SmallestNonzeroFloat64; tiny*float64(len(t.Name())) == 0 {
		t.Error("denormal numbers are flushed to zero in Go")
	}
}

func TestGarbageCollectionDuringCalls(t *testing.T) {
	lib := compile(t, "calls.c")
	var frames []Frame
	for i := range 100 {
		frames = append(frames, frameOf(i, float64(i), i, float64(i), i, float64(i), i, float64(i), i, float64(i),
			i, float64(i), i, float64(i), i, float64(i), i, float64(i), i, float64(i)))
	}
	l := newTestLoop(t, Clock{Name: counterName}, symbol(t, lib, "interleaved"), frames...)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var keep []byte
		for {
			select {
			case <-stop:
				runtime.KeepAlive(keep)
				return
			default:
				keep = make([]byte, 1<<20)
				runtime.GC()
			}
		}
	}()
	for round := range 50 {
		l.SetFlush([]Range{{uintptr(unsafe.Pointer(unsafe.SliceData(l.ring))), 64}})
		l.Run(1000, 10+round)
		// 1000 calls each end on the frame before the first.
		if _, f := l.Returned(); math.Abs(math.Float64frombits(f)-99*55*1.001) > 1e-6 {
			t.Fatalf("round %d: interleaved = %g, want %g", round, math.Float64frombits(f), 99*55*1.001)
		}
	}
	close(stop)
	<-done
}

func TestEmptyHasTheSameWay(t *testing.T) {
	lib := compile(t, "calls.c")
	m := offHeap(t, 64)
	eachWay(t, func(t *testing.T, c Clock, prepare func(*Loop)) {
		f := frameOf(1, 2.0, 3, 4, 5, 6, 7, 8, 9, 10)
		l := newTestLoop(t, c, symbol(t, lib, "nothing"), f, f)
		prepare(l)
		l.SetFlush([]Range{{uintptr(unsafe.Pointer(&m[0])), 64}})
		e, err := l.Empty()
		if err != nil {
			t.Fatal(err)
		}
		if e.control.flags != l.control.flags || e.control.stride != l.control.stride ||
			e.control.stackWords != l.control.stackWords || e.control.vectors != l.control.vectors ||
			e.control.lineCount != 1 || e.clock != l.clock {
			t.Errorf("the empty loop goes another way: %+v, not %+v", e.control, l.control)
		}
		if !slices.Equal(e.ring, l.ring) {
			t.Error("the empty loop has other frames")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(e.Run(10, 5)); got != 5 { // also after the original is closed
			t.Errorf("%d results, want 5", got)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if _, err := e.Empty(); err == nil {
			t.Error("a closed loop made an empty one")
		}
	})
}

func TestRunWithoutCalls(t *testing.T) {
	l := newTestLoop(t, MonotonicClock(), emptyFunctionEntry, frameOf(1))
	for _, n := range [][2]int{{0, 1}, {1, 0}, {-1, 5}, {5, -1}} {
		if got := l.Run(n[0], n[1]); got != nil {
			t.Errorf("Run(%d, %d) = %v, want nothing", n[0], n[1], got)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := l.Run(1, 1); got != nil {
		t.Errorf("a closed loop ran: %v", got)
	}
}

func TestNewLoopErrors(t *testing.T) {
	tooMany := frameOf()
	for range MaxStackWords + intRegisters + 1 {
		tooMany.Int(1)
	}
	for _, c := range []struct {
		name   string
		entry  uintptr
		frames []Frame
		want   string
	}{
		{"null function", 0, []Frame{frameOf(1)}, "address is zero"},
		{"no frames", emptyFunctionEntry, nil, "no argument frames"},
		{"too many", emptyFunctionEntry, []Frame{frameOf(1), tooMany}, "argument set 1: 65 argument words"},
		{"shapes", emptyFunctionEntry, []Frame{frameOf(1, 2.0), frameOf(1, 2)}, "argument set 1 has other kinds"},
	} {
		_, err := NewLoop(MonotonicClock(), c.entry, c.frames)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.name, err, c.want)
		}
	}
}
