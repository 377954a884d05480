//go:build unix

package executors

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup kills a process, and its process group if it leads one (a builder's compilers). It must be called before
// Wait returns: until then the process is not reaped, so that its id cannot belong to another process.
func killGroup(p *os.Process) {
	if pgid, err := syscall.Getpgid(p.Pid); err == nil && pgid == p.Pid {
		_ = syscall.Kill(-pgid, syscall.SIGKILL) // it may have ended
	}
	_ = p.Kill()
}

// growTable has the table of descriptors of this process hold numbers from floor on, until the returned function is
// called. A child's table is as large. If an executor let its own table grow, it would wait for all of the kernel's
// readers (RCU), for milliseconds, since it has several threads by then. Where the limit on descriptors is lower, the
// table stays as it is: this is about time only.
func growTable(floor int) (restore func()) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return func() {}
	}
	defer null.Close()
	high, err := unix.FcntlInt(null.Fd(), unix.F_DUPFD_CLOEXEC, floor)
	if err != nil {
		return func() {}
	}
	return func() { unix.Close(high) }
}

// ExitOf returns how a process ended that has been waited for. Stderr is left empty.
func ExitOf(s *os.ProcessState) Exit {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok {
		return Exit{Code: s.ExitCode()}
	}
	e := Exit{Code: status.ExitStatus()}
	if status.Signaled() {
		e.Signal, e.Code = cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("signal %d", status.Signal())), 0
	}
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		e.MaxRSSBytes = int64(usage.Maxrss) << 10
		if runtime.GOOS == "darwin" {
			e.MaxRSSBytes = int64(usage.Maxrss) // bytes there
		}
	}
	return e
}
