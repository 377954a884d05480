//go:build amd64 || arm64

package native

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// signalEntry is the address of the assembly routine, filled in by the linker.
var signalEntry uintptr

// SignalEntry returns the address of a C function that hands over a Signal, or 0 on systems without it. Its arguments
// are a word, which Wait returns, and the address of the Signal. Any thread may call it, one that Go does not know as
// well: it runs no Go code.
func SignalEntry() uintptr { return signalEntry }

// These are FUTEX_WAIT_PRIVATE and FUTEX_WAKE_PRIVATE of linux/futex.h.
const (
	futexWait = 128
	futexWake = 129
)

// Wait blocks its thread until the C function was called, and returns the function's first argument. The Signal can be
// used again then.
func (s *Signal) Wait() uintptr {
	for atomic.LoadUint32(&s.set) == 0 {
		// It returns at once if the word is no longer 0, and may return for no reason.
		syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.set)), futexWait, 0, 0, 0, 0)
	}
	value := s.value
	atomic.StoreUint32(&s.set, 0)
	return value
}
