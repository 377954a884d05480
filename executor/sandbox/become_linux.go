package sandbox

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Become seals this process, which Options.AllowExec must allow, and replaces it by a program with these arguments, the
// first of which is its path, and with this environment. The program is confined as this process was, and ends with the
// parent. Become returns only if it fails.
func (a *Active) Become(program, environment []string) error {
	// The signal of the parent's death belongs to a thread, and exec keeps that of the calling thread. A
	// sealed process cannot set it any more.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if a.parentPID != 0 || a.options.Profile == Build {
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
			return fmt.Errorf("sandbox: signal of the parent's death: %w", err)
		}
		if parent := os.Getppid(); parent != a.parentPID {
			return fmt.Errorf("sandbox: the parent is process %d, and not %d that ordered the sandbox: it has ended",
				parent, a.parentPID)
		}
	}
	if err := a.Seal(); err != nil {
		return err
	}
	if err := unix.Exec(program[0], program, environment); err != nil {
		return fmt.Errorf("%s: %w", program[0], err)
	}
	return nil
}
