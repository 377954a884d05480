package hosting

import (
	"fmt"
	"os"
	"os/exec"

	"zonemark/cmd/zonemark/internal/watching"

	"golang.org/x/sys/unix"
)

// outliveDriver takes away the signal by which a builder would die with its driver: it could not end its compilers
// then. It notices the driver's death by the end of its messages, see endBuilder.
func outliveDriver(cmd *exec.Cmd) {
	if cmd.SysProcAttr != nil {
		cmd.SysProcAttr.Pdeathsig = 0
	}
}

// becomeBuilder prepares a process that starts compilers. Their memory is limited to memoryBytes of data each, unless
// that is 0. The signal of the driver's death belongs to this thread since it has entered the sandbox, and is taken
// away here too.
func becomeBuilder(memoryBytes int64) error {
	if memoryBytes > 0 {
		limit := unix.Rlimit{Cur: uint64(memoryBytes), Max: uint64(memoryBytes)}
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &limit); err != nil {
			return fmt.Errorf("limit the memory of compilers to %d bytes: %w", memoryBytes, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("signal of the parent's death: %w", err)
	}
	return nil
}

// endBuilder ends the process and its compilers, and what these have started: it is in its process group or in theirs.
func endBuilder() {
	for list := watching.Children(os.Getpid()); len(list) > 0; list = list[1:] {
		list = append(list, watching.Children(list[0])...)
		_ = unix.Kill(list[0], unix.SIGKILL) // it may have ended
	}
	if pid := os.Getpid(); unix.Getpgrp() == pid {
		_ = unix.Kill(-pid, unix.SIGKILL) // this process is in the group
	}
	os.Exit(exitParentGone)
}
