package command

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// withExecutor makes a process end when the executor does, even if nobody ends its group. This thread starts all
// processes and lives as long as the executor.
func withExecutor() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// await waits for the end of a process that was started at a moment. It returns how the process ended, how long that
// took, and how long the process's first thread was ready to run and waited for a CPU.
func await(p *os.Process, begin time.Time) (state *os.ProcessState, wall, waited time.Duration, err error) {
	for { // first without reaping the process, since only what has not been reaped tells how long it waited
		err = unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	wall = time.Since(begin)
	if err != nil {
		return nil, 0, 0, os.NewSyscallError("waitid", err)
	}
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/schedstat"); err == nil {
		waited = parseSchedstat(text)
	}
	state, err = p.Wait()
	return state, wall, waited, err
}

// parseSchedstat returns the second number of /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst in Linux):
// the time spent waiting on a run queue, in nanoseconds. It returns 0 if the text is not of that file.
func parseSchedstat(text []byte) time.Duration {
	fields := bytes.Fields(text)
	if len(fields) != 3 {
		return 0
	}
	ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil || ns < 0 {
		return 0
	}
	return time.Duration(ns)
}
