//go:build unix

package hosting

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// recordFile returns the descriptor for the outcome of a recording, which the program does not inherit.
func recordFile() (*os.File, error) {
	const fd = 3
	if _, err := unix.FcntlInt(fd, unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return nil, fmt.Errorf("descriptor %d (result of the capture): %w", fd, err)
	}
	return os.NewFile(fd, "result of the capture"), nil
}

// ownGroup makes a program lead a process group of its own, so that it can be ended with its children.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// endGroup sends a signal to a program that leads a process group, and to its children.
func endGroup(p *os.Process, s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(-p.Pid, number) // it may have ended
	}
}
