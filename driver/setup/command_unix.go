//go:build unix

package setup

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has a program lead a process group of its own, and all of that group ended when the context ends: by
// SIGTERM, on which ninja ends its compilers, which it has put into groups of their own. What does not heed it within
// killDelay is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}
}

// inherit leaves a file open in the program.
func inherit(cmd *exec.Cmd, f *os.File) { cmd.ExtraFiles = append(cmd.ExtraFiles, f) }
