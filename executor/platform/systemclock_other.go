//go:build !linux && !darwin && !windows

package platform

import "time"

func RawNS() int64 { return time.Now().UnixNano() }

// ThreadCPUTimeNS is 0: the CPU time of one thread is not read on this system.
func ThreadCPUTimeNS() int64 { return 0 }

// ProcessCPUTimeNS is 0: it is not read on this system.
func ProcessCPUTimeNS() int64 { return 0 }
