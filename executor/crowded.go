package executor

import "zonemark/executor/platform"

const (
	// crowdedCPUs is how many CPUs other work must have used to take some from a call of several threads.
	crowdedCPUs = 0.25
	// crowdedSlack is what the machine's times may be off, in nanoseconds, since the system counts them in ticks.
	crowdedSlack = 20e6
	// crowdedIdle is the share of the machine's CPUs below which other work takes them from somebody.
	crowdedIdle = 0.1
)

// keptWaiting reports whether threads of this process had to wait for a CPU for a share of a time of this length while
// others had CPUs for such a share. The calls may be made by many threads, of which those that wait for each other show
// nothing of others, and others may have CPUs that nobody waits for: it takes both.
func keptWaiting(before, after platform.Contention, tookNS float64) bool {
	if before.Busy == 0 || after.Busy == 0 {
		return false
	}
	return float64(min(after.Waited-before.Waited, after.Others(before))) > contendedShare*tookNS
}

// crowded reports whether other work has taken CPUs, for a time of this length, from calls whose own threads take turns
// on the CPUs: it had CPU time, and no CPU was left. That threads waited tells nothing of others then.
func crowded(before, after platform.Contention, tookNS float64) bool {
	if before.Busy == 0 || after.Busy == 0 {
		return false
	}
	busy, idle := float64(after.Busy-before.Busy), float64(after.Idle-before.Idle)
	return float64(after.Others(before)) > crowdedCPUs*tookNS+crowdedSlack && idle < crowdedIdle*(busy+idle)
}
