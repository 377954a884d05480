package rounds

import (
	"math"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/timers"
	"zonemark/invocations"
)

// threadUse observes what the measuring thread uses.
type threadUse struct {
	thread  *executor.OnThread
	around  surroundings
	tells   bool    // its CPU time tells of contention: calls that go through Go may wait inside
	readNS  float64 // CPU time that reading the thread's CPU time takes
	enterNS float64 // what entering a timer takes besides its batches; 0: not known yet
	outside float64 // the least time of an entry beside its CPU time, that of reading clocks; 0: not known yet

	usage  platform.Usage // at the begin of an entry
	at     time.Time
	cpuNS  int64
	gaveUp bool // in most batches of the launch, the thread gave its CPU up by itself, for example for a device
}

func (u *threadUse) begin(*entry) error {
	u.usage, u.at, u.cpuNS = u.around.usage(), u.around.now(), u.around.cpuNS()
	return nil
}

func (u *threadUse) end(e *entry) {
	spent := float64(u.around.cpuNS() - u.cpuNS)
	took, after := float64(u.around.now().Sub(u.at)), u.around.usage()
	untimed := took - sumOf(e.ns)
	if e.empty && (u.enterNS == 0 || untimed < u.enterNS) {
		u.enterNS = max(0, untimed)
	}
	n, b := float64(len(e.ns)), &e.seen
	cpu := spent*u.timedShare(e, took, untimed) - u.readNS
	if e.restored {
		cpu = sumOf(e.ns) - u.lost(took-spent)
	}
	b.cpuNS = max(0, cpu) / (n * float64(e.calls))
	if e.batches > 1 {
		b.cpuNS = math.NaN() // a group's CPU time includes the flushes and clock reads between its batches
	}
	b.interrupted = after.Involuntary > u.usage.Involuntary && !u.thread.Device
	b.switches = float64(after.Switches()-u.usage.Switches()) / n
	b.faults = float64(after.Faults-u.usage.Faults) / n
	b.waits = float64(after.Voluntary-u.usage.Voluntary) / n
	b.systemNS = (float64(after.SystemNS-u.usage.SystemNS) - lookNS) / n
}

// leastLostNS is the shortest time, in nanoseconds, for which a thread is taken off its CPU. Readings of the two clocks
// differ by less.
const leastLostNS = 1000

// lost returns for how long the thread was off its CPU in an entry, by the time outside of its CPU time. Restoring takes
// CPU time as well, often more than the batch, so that the CPU time of the batch is what the thread was not off the CPU.
func (u *threadUse) lost(outside float64) float64 {
	if u.outside == 0 || outside < u.outside {
		u.outside = max(1, outside)
	}
	if lost := outside - u.outside; lost > leastLostNS {
		return lost
	}
	return 0
}

// timedShare returns which share of the time of an entry was not that of the prelude. The clock of the thread's CPU time
// can only be read around the whole entry, and the calls of the prelude may take far longer than those of the batch:
// they are the first ones to find other caches.
func (u *threadUse) timedShare(e *entry, took, untimed float64) float64 {
	if untimed -= u.enterNS; e.prelude == 0 || untimed <= 0 {
		return 1
	}
	return 1 - untimed/took
}

func sumOf(ns []float64) (sum float64) {
	for _, t := range ns {
		sum += t
	}
	return sum
}

func (u *threadUse) report(s *sampling, r *invocations.Result, kept []*batch) {
	reportUse(s, r, kept)
	r.Counters = append(r.Counters, sandboxCount(kept, s.calls, s.instruments.systemSlower)...)
	waits := 0
	for _, b := range kept {
		if b.waits > 0 {
			waits++
		}
	}
	u.gaveUp = 2*waits > len(kept)
}

// reportUse enters the CPU times of the kept batches, if all of them are known, and what the system has counted.
func reportUse(s *sampling, r *invocations.Result, kept []*batch) {
	cpu := make([]float64, len(kept))
	for i, b := range kept {
		if cpu[i] = b.cpuNS; math.IsNaN(b.cpuNS) {
			cpu = nil
			break
		}
	}
	r.CPUSamplesNS = cpu
	r.Counters = append(r.Counters, systemCounts(kept, s.calls)...)
}

// verdicts returns what the CPU time of a launch says of its times. threads reports that the function runs threads of its
// own: their time is not the measuring thread's, and it may take turns with them on a CPU.
func (u *threadUse) verdicts(grossNS, cpuNS float64, threads bool) (list []invocations.Verdict) {
	if !(cpuNS > 0) || u.thread.Waits || threads {
		return nil
	}
	if grossNS > (1+contendedShare)*cpuNS && !u.gaveUp {
		list = append(list, invocations.Contended)
	}
	if grossNS < cpuShort*cpuNS {
		list = append(list, invocations.TooShort)
	}
	return list
}

// reportedUse observes what a workload says that its processes have used.
type reportedUse struct {
	process bool // each call has processes of its own
}

func (*reportedUse) begin(*entry) error { return nil }

func (*reportedUse) end(e *entry) {
	if t, ok := e.timer.(*timers.Process); ok {
		e.seen.take(t.Last, float64(e.calls))
	}
}

func (u *reportedUse) report(s *sampling, r *invocations.Result, kept []*batch) {
	reportUse(s, r, kept)
	if u.process {
		r.Properties = processProperties(kept)
	}
}

// coreSpeed observes the speed of the core over a launch, if no canary shows its clock.
type coreSpeed struct {
	around   surroundings
	beforeNS float64 // of a fixed chain of operations, before the first batch; 0: not measured
}

func (c *coreSpeed) begin(clock native.Clock) { c.beforeNS = c.around.chainNS(clock) }

// slower reports whether the core is considerably slower than at the begin.
func (c *coreSpeed) slower(clock native.Clock) bool {
	return c != nil && c.beforeNS > 0 && c.around.chainNS(clock) > throttledFactor*c.beforeNS
}
