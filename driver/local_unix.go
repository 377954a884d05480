//go:build unix

package driver

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup kills a process, and its group when it leads one (a builder's compilers). The process has not been reaped
// when this is called before Wait returns, so that the number cannot belong to another one.
func killGroup(p *os.Process) {
	if pgid, err := syscall.Getpgid(p.Pid); err == nil && pgid == p.Pid {
		_ = syscall.Kill(-pgid, syscall.SIGKILL) // it may have ended
	}
	_ = p.Kill()
}

// ExitOf is how a process that has been waited for ended; Stderr is left empty.
func ExitOf(s *os.ProcessState) Exit {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok {
		return Exit{Code: s.ExitCode()}
	}
	e := Exit{Code: status.ExitStatus()}
	if status.Signaled() {
		e.Signal, e.Code = unix.SignalName(status.Signal()), 0
	}
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		e.MaxRSSBytes = int64(usage.Maxrss) << 10
		if runtime.GOOS == "darwin" {
			e.MaxRSSBytes = int64(usage.Maxrss) // bytes there
		}
	}
	return e
}
