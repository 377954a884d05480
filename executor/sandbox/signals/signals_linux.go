package signals

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// firstOwn and lastOwn are the real-time signals that the C library leaves to programs.
const (
	firstOwn unix.Signal = 34
	lastOwn  unix.Signal = 64
)

// Ending returns the signals that end a C program that does not handle them: those of faults, and those that programs,
// timers and users send. Go's runtime ignores many of them. It does not contain SIGPIPE, which must stay an error of the
// write, and SIGURG, by which Go interrupts its own threads.
func Ending() []unix.Signal {
	list := []unix.Signal{
		unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS,
		unix.SIGTERM, unix.SIGINT, unix.SIGQUIT, unix.SIGHUP, unix.SIGXFSZ, unix.SIGXCPU,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGVTALRM, unix.SIGPROF, unix.SIGIO, unix.SIGPWR, unix.SIGSTKFLT,
	}
	for s := firstOwn; s <= lastOwn; s++ {
		list = append(list, s)
	}
	return list
}

// Action is struct sigaction as the kernel takes it on both amd64 and arm64 (uapi asm/signal.h: arm64
// defines SA_RESTORER because of 32-bit programs and therefore has the member). The C library's structure differs.
type Action struct {
	Handler  uintptr // 0 is SIG_DFL
	Flags    uint64
	Restorer uintptr
	Mask     uint64
}

// Restore gives the signals that end programs back to the kernel. It does not use os/signal, which cannot take a handler
// away from the Go runtime.
func Restore() error {
	for _, s := range Ending() {
		if _, err := Exchange(s, Action{}); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	return nil
}

// Exchange sets the action of a signal and returns the one before.
func Exchange(s unix.Signal, a Action) (previous Action, err error) {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&a)),
		uintptr(unsafe.Pointer(&previous)), unsafe.Sizeof(a.Mask), 0, 0)
	if errno != 0 {
		return previous, fmt.Errorf("action of %v: %w", s, errno)
	}
	return previous, nil
}

// deliveryTime is longer than a signal takes to end a process.
const deliveryTime = time.Second

// End ends this process by a signal, whatever Go's runtime does with that signal, so that a process that stands
// for another one ends as that one did. It leaves no core file, which would show the wrong process. It returns only
// with an error.
func End(s syscall.Signal) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no core file: %w", err)
	}
	if s != unix.SIGKILL { // SIGKILL has no other action
		if _, err := Exchange(s, Action{}); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	if err := unix.Kill(os.Getpid(), s); err != nil {
		return fmt.Errorf("sandbox: %v to itself: %w", s, err)
	}
	time.Sleep(deliveryTime)
	return fmt.Errorf("sandbox: %v does not end a process", s)
}
