//go:build linux || darwin

package platform

import (
	"time"

	"golang.org/x/sys/unix"
)

// RawNS is CLOCK_MONOTONIC_RAW, which no time daemon slews.
func RawNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts) != nil {
		return time.Now().UnixNano() // forbidden, say by a seccomp filter: slewed by at most 500 parts per million
	}
	return ts.Nano()
}

// ProcessCPUTimeNS is the CPU time that all threads of the process have used, in nanoseconds; 0 where the system does
// not tell.
func ProcessCPUTimeNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return ts.Nano()
}

// ThreadCPUTimeNS is the CPU time that the calling thread has used, in nanoseconds; 0 where the system does not tell.
func ThreadCPUTimeNS() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(threadCPUClock, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
