//go:build unix

package command

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup makes a program the leader of a new process group. When the context ends, the group gets SIGTERM, on which
// ninja ends its compilers, which are in groups of their own. Processes that are left after KillDelay are killed.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}
}

// inherit keeps a file open in the program.
func inherit(cmd *exec.Cmd, f *os.File) { cmd.ExtraFiles = append(cmd.ExtraFiles, f) }
