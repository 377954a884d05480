//go:build unix

package building

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup runs a program in a process group of its own, all of which is killed when the context ends: a compiler's
// driver starts the compiler and the linker as children.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = groupAttributes()
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}
}
