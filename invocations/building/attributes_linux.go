package building

import "syscall"

// groupAttributes make a program the leader of a new process group, which the signals to this process's group do not
// reach; so it gets a signal of its own when this process dies.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
