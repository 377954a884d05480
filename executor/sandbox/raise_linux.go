package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"time"

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
		if _, err := exchangeAction(s, kernelSignalAction{}); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	if err := unix.Kill(os.Getpid(), s); err != nil {
		return fmt.Errorf("sandbox: %v to itself: %w", s, err)
	}
	time.Sleep(deliveryTime)
	return fmt.Errorf("sandbox: %v does not end a process", s)
}
