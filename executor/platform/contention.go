package platform

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// Contention is what the system has counted of the competition for CPUs up to a moment, in nanoseconds. The zero value
// says that it counts nothing of it.
type Contention struct {
	Waited int64 // threads of this process that live were ready to run, and waited for a CPU
	Own    int64 // CPU time of this process
	Busy   int64 // CPUs of the machine were busy, or other machines had them; in steps of 10 ms
	Idle   int64 // CPUs of the machine were idle; in steps of 10 ms
}

// Others returns for how long others than this process had CPUs since an earlier moment.
func (c Contention) Others(before Contention) int64 {
	return c.Busy - before.Busy - (c.Own - before.Own)
}

// userTick is the unit of /proc/stat on every Linux: USER_HZ is 100 (proc_stat(5)).
const userTick = int64(10 * time.Millisecond)

// parseBusy returns how long CPUs were busy, and idle, according to the text of /proc/stat: the columns user, nice,
// system, idle, iowait, irq, softirq and steal of its first line. Guest times are in those of users already. It returns 0
// and 0 if the text is not of that file.
func parseBusy(text []byte) (busyNS, idleNS int64) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	const name, idle, iowait, steal = 0, 4, 5, 8
	if len(fields) <= steal || string(fields[name]) != "cpu" {
		return 0, 0
	}
	for i, field := range fields[:steal+1] {
		if i == name {
			continue
		}
		ticks, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil || ticks < 0 || ticks > math.MaxInt64/(steal+1)/userTick {
			return 0, 0
		}
		if i == idle || i == iowait {
			idleNS += ticks * userTick
		} else {
			busyNS += ticks * userTick
		}
	}
	return busyNS, idleNS
}

const (
	// waitingShare is the share of a time for which threads must have waited.
	waitingShare = 0.1
	// crowdedCPUs is how many CPUs other work must have used to take some from a call of several threads.
	crowdedCPUs = 0.25
	// crowdedSlack is what the machine's times may be off, in nanoseconds, since the system counts them in ticks.
	crowdedSlack = 20e6
	// crowdedIdle is the share of the machine's CPUs below which other work takes them from somebody.
	crowdedIdle = 0.1
)

// KeptWaiting reports whether threads of this process had to wait for a CPU for a share of a time of this length while
// others had CPUs for such a share. The calls may be made by many threads, of which those that wait for each other show
// nothing of others, and others may have CPUs that nobody waits for: it takes both.
func (c Contention) KeptWaiting(before Contention, tookNS float64) bool {
	if before.Busy == 0 || c.Busy == 0 {
		return false
	}
	return float64(min(c.Waited-before.Waited, c.Others(before))) > waitingShare*tookNS
}

// Crowded reports whether other work has taken CPUs, for a time of this length, from calls whose own threads take turns
// on the CPUs: it had CPU time, and no CPU was left. That threads waited tells nothing of others then.
func (c Contention) Crowded(before Contention, tookNS float64) bool {
	if before.Busy == 0 || c.Busy == 0 {
		return false
	}
	busy, idle := float64(c.Busy-before.Busy), float64(c.Idle-before.Idle)
	return float64(c.Others(before)) > crowdedCPUs*tookNS+crowdedSlack && idle < crowdedIdle*(busy+idle)
}
