//go:build amd64 || arm64

package native

import (
	"testing"
	"unsafe"

	"zonemark/executor/dl"
)

// TestSignal hands over many words from another thread, before and while they are waited for.
func TestSignal(t *testing.T) {
	s := new(Signal)
	next := make(chan uintptr)
	go func() {
		for value := range next {
			dl.Call(SignalEntry(), value, uintptr(unsafe.Pointer(s)))
		}
	}()
	for value := range uintptr(20000) {
		next <- value
		if got := s.Wait(); got != value {
			t.Fatalf("got %d, want %d", got, value)
		}
	}
	close(next)
	dl.Call(SignalEntry(), 7, uintptr(unsafe.Pointer(s))) // before it is waited for
	if got := s.Wait(); got != 7 {
		t.Errorf("got %d, want 7", got)
	}
}
