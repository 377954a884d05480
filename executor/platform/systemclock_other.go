//go:build !linux && !darwin && !windows

package platform

import "time"

// RawNS returns the time of the system's clock in nanoseconds: this system offers no raw monotonic one.
func RawNS() int64 { return time.Now().UnixNano() }

// ThreadCPUTimeNS returns 0: the CPU time of one thread is not read on this system.
func ThreadCPUTimeNS() int64 { return 0 }

// ProcessCPUTimeNS returns 0: it is not read on this system.
func ProcessCPUTimeNS() int64 { return 0 }
