package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deliveryTime is longer than a signal takes to end a process.
const deliveryTime = time.Second

// EndBySignal ends this process by a signal, whatever Go's runtime does with that signal, so that a process that stands
// for another one ends as that one did. It leaves no core file, which would show the wrong process. It returns only
// with an error.
func EndBySignal(s syscall.Signal) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no core file: %w", err)
	}
	if s != unix.SIGKILL { // SIGKILL has no other action
		var action kernelSignalAction
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0,
			unsafe.Sizeof(action.Mask), 0, 0)
		if errno != 0 {
			return fmt.Errorf("sandbox: restoring the default action of %v: %w", s, errno)
		}
	}
	if err := unix.Kill(os.Getpid(), s); err != nil {
		return fmt.Errorf("sandbox: %v to itself: %w", s, err)
	}
	time.Sleep(deliveryTime)
	return fmt.Errorf("sandbox: %v does not end a process", s)
}
