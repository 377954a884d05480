package executor

import "time"

// machine is what the CPUs of the machine have done up to a moment, in nanoseconds of all CPUs together.
type machine struct {
	at         time.Time
	busy, idle int64 // 0 if the system does not tell
	process    int64 // CPU time of this process
}

const (
	// crowdedCPUs is how many CPUs other work must have used to take some from a call of several threads.
	crowdedCPUs = 0.25
	// crowdedSlack is what the machine's times may be off, since the system counts them in ticks.
	crowdedSlack = 20e6
	// crowdedIdle is the share of the machine's CPUs below which other work takes them from somebody.
	crowdedIdle = 0.1
)

// crowdedSince reports whether other work has taken CPUs from the threads of calls since an earlier moment: it had CPU
// time, and no CPU was left. That a thread was interrupted tells nothing then: its own threads take turns on the CPUs.
func (m machine) crowdedSince(before machine) bool {
	busy, idle := float64(m.busy-before.busy), float64(m.idle-before.idle)
	others := busy - float64(m.process-before.process)
	return others > crowdedCPUs*float64(m.at.Sub(before.at))+crowdedSlack && idle < crowdedIdle*(busy+idle)
}
