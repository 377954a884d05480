//go:build linux || darwin

package platform

import (
	"time"

	"golang.org/x/sys/unix"
)

// RawNS returns CLOCK_MONOTONIC_RAW, which no time daemon slews.
func RawNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts) != nil {
		return time.Now().UnixNano() // if forbidden, for example by seccomp; slewed by at most 500 parts per million
	}
	return ts.Nano()
}

// ProcessCPUTimeNS returns the CPU time that all threads of the process have used, in nanoseconds, or 0 if the system
// does not report it.
func ProcessCPUTimeNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return ts.Nano()
}

// ThreadCPUTimeNS returns the CPU time that the calling thread has used, in nanoseconds, or 0 if the system does not
// report it.
func ThreadCPUTimeNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(threadCPUClock, &ts) != nil {
		return 0
	}
	return ts.Nano()
}

// ProcessPreemptions returns how often the system has taken CPUs off threads of this process, or 0 if it does not report
// it.
func ProcessPreemptions() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Nivcsw)
}
