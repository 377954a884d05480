package rounds

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// TestCallsPerInvocation counts the native calls of an invocation that takes several: each of six frames copies one
// byte.
func TestCallsPerInvocation(t *testing.T) {
	libc, err := dl.Open("libc.so.6")
	if err != nil {
		t.Skipf("no C library of that name: %v", err)
	}
	entry, err := libc.Lookup("memcpy")
	if err != nil {
		t.Fatal(err)
	}
	memory, err := platform.Alloc(12)
	if err != nil {
		t.Fatal(err)
	}
	defer platform.Free(memory)
	to, from := memory[:6], memory[6:]
	copy(from, "abcdef")
	work := &executor.Native{Entry: entry, CallsPerInvocation: 3}
	call := callOf(work)
	for i := range 6 {
		var f native.Frame
		f.Int(uint64(uintptr(unsafe.Pointer(&to[i]))))
		f.Int(uint64(uintptr(unsafe.Pointer(&from[i]))))
		f.Int(1)
		work.Frames = append(work.Frames, f)
	}
	measure := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e6, MaxTimeNS: 1e9, MinIterations: 10}
	inv := &invocations.Invocation{Measure: measure}
	s, err := newSession(inv, call, instrumentsOf(native.MonotonicClock()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []string{"abc\x00\x00\x00", "abcdef"} {
		if _, err := s.timer.Run(1, 1); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(to, []byte(want)) {
			t.Errorf("after a call: %q, want %q", to, want)
		}
	}
	clear(to)
	if err := s.openEmpty(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.emptied.Run(2, 1); err != nil || !bytes.Equal(to, make([]byte, 6)) {
		t.Errorf("the empty function copied %q, %v", to, err)
	}
	r, err := s.measureRound(noise.Levels{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Sets != 2 || r.Iterations < 10 || len(r.SamplesNS) == 0 {
		t.Errorf("%d sets, %d iterations, %d samples", r.Sets, r.Iterations, len(r.SamplesNS))
	}
	work.Frames = work.Frames[:5]
	_, err = newSession(inv, call, instrumentsOf(native.MonotonicClock()))
	if err == nil || !strings.Contains(err.Error(), "5 argument frames") {
		t.Errorf("frames of no whole invocation: %v", err)
	}
}
