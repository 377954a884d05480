package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// clockHandlerEntry and clockReturnEntry are addresses of assembly routines, filled in by the linker.
var clockHandlerEntry, clockReturnEntry uintptr

// signalAction is struct sigaction as the kernel takes it (uapi asm/signal.h).
type signalAction struct{ handler, flags, restorer, mask uintptr }

// What uapi asm/signal.h calls SA_SIGINFO, SA_RESTORER and SA_ONSTACK.
const catchFlags = 0x4 | 0x04000000 | 0x08000000

// CatchClockReads has checked calls find out whether they read the processor's clock, which every clock of the C library
// does: its instruction is forbidden to their thread, and the signal of the first one allows it again. Threads and
// processes that a call starts inherit that, and a process that has no handler dies of it. So CatchClockReads is for
// processes that can start no other ones. It does nothing if somebody handles that signal already.
func CatchClockReads() {
	if action, known := faultAction(nil); known && action.handler == 0 {
		faultAction(&signalAction{clockHandlerEntry, catchFlags, clockReturnEntry, 0})
	}
}

// catchesClockReads reports whether CatchClockReads is in force.
func catchesClockReads() bool {
	action, known := faultAction(nil)
	return known && action.handler == clockHandlerEntry
}

// faultAction returns the action of SIGSEGV, and sets another one unless it is nil.
func faultAction(next *signalAction) (action signalAction, known bool) {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGSEGV), uintptr(unsafe.Pointer(next)),
		uintptr(unsafe.Pointer(&action)), unsafe.Sizeof(action.mask), 0, 0)
	return action, errno == 0
}
