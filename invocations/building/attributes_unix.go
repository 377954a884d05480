//go:build unix && !linux

package building

import "syscall"

// groupAttributes make a program the leader of a new process group.
func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
