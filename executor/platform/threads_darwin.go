package platform

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const threadCPUClock = unix.CLOCK_THREAD_CPUTIME_ID

// Pin returns an error: macOS does not let a thread choose its CPU.
func Pin(cpu int) error {
	return fmt.Errorf("pin to CPU %d: macOS cannot pin threads; measure without a CPU choice", cpu)
}

// CurrentCPU reports false: threads cannot be pinned to what it would return.
func CurrentCPU() (cpu int, known bool) { return 0, false }

// ThreadUsage returns the counts of the whole process; macOS reports no others.
func ThreadUsage() Usage {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return Usage{}
	}
	return Usage{
		Involuntary: u.Nivcsw, Voluntary: u.Nvcsw, Faults: u.Minflt + u.Majflt, SystemNS: u.Stime.Nano(),
	}
}
