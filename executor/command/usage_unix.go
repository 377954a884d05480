//go:build unix

package command

import (
	"os"
	"runtime"
	"strconv"
	"syscall"

	"zonemark/executor"

	"golang.org/x/sys/unix"
)

// addUsage adds what the system has counted of a process and of those of its children that it has waited for.
func addUsage(u *executor.Used, state *os.ProcessState) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	u.Faults = float64(usage.Minflt + usage.Majflt)
	u.Switches = float64(usage.Nvcsw + usage.Nivcsw)
	u.PeakBytes = int64(usage.Maxrss) << 10
	if runtime.GOOS == "darwin" {
		u.PeakBytes = int64(usage.Maxrss) // bytes there
	}
}

// ownPeak returns the largest resident size of this process so far, in bytes.
func ownPeak() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// ending returns how a process ended: its exit status or the name of the signal.
func ending(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return strconv.Itoa(state.ExitCode())
}
