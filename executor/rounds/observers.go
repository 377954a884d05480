package rounds

import (
	"slices"
	"time"

	"zonemark/executor"
	"zonemark/executor/timers"
	"zonemark/invocations"
)

// observation names a way to observe a workload.
type observation int

// The ways to observe workloads.
const (
	byCanary       observation = iota // probes of the core between batches
	byCoreSpeed                       // the speed of the core at the begin and at the end of a launch
	byThreadUse                       // what the measuring thread uses: CPU time, switches, page faults
	byReportedUse                     // what the workload itself says that its processes have used
	byThreadCounts                    // events of the processor, of the measuring thread
	byAllCounts                       // the same of that thread and all threads and processes that it starts
	byThreadWatch                     // whether other threads do part of the work
)

// observedBy reports whether something can observe a workload.
func observedBy(w executor.Workload, o observation) bool {
	switch w.(type) {
	case *executor.Native, *executor.Function:
		return o != byReportedUse
	case *executor.Batches:
		return o == byCoreSpeed || o == byReportedUse
	}
	return o == byCoreSpeed || o == byReportedUse || o == byAllCounts // a process
}

// entry is one entry of a timer: batches of a number of calls each, without a break between them.
type entry struct {
	timer   timers.Timer
	calls   int64
	batches int
	prelude int64 // calls before each batch that are not timed
	empty   bool  // the calls are those of a function that only returns
	// restored reports that the timer restores arguments before each batch.
	restored bool

	ns     []float64  // time of each batch; valid until the next entry
	counts [][]uint64 // what each batch has counted, by event; nil if nothing is counted; valid as long
	seen   batch      // what is the same for all of its batches
}

// observer observes the entries of a session's timer, one after the other, and says what it has seen of the batches that
// count.
type observer interface {
	// begin is called before an entry, for one observer after the other.
	begin(e *entry) error
	// end is called after the entry, in the opposite order, and notes what was seen.
	end(e *entry)
	// report enters what was seen of the kept batches into the result.
	report(s *sampling, r *invocations.Result, kept []*batch)
}

// gap is the longest time between an entry and the next one for which what was seen after the one holds before the other,
// so that a look is not made twice. Our bookkeeping takes less. Restoring arguments, an entry over the empty function or
// an interruption takes more.
const gap = 10 * time.Microsecond

// rightAfter reports whether an entry that begins now follows right after one that has ended then.
func rightAfter(ended time.Time, around surroundings) bool { return around.now().Sub(ended) <= gap }

// observers are those of a session. One that does not apply to its workload, or cannot work here, is nil.
type observers struct {
	canary  *canaryProbes
	use     observer // *threadUse or *reportedUse
	counts  *eventCounts
	speed   *coreSpeed
	threads *threadWatch
	// why is the reason why there is no canary.
	why string
}

// newObservers returns those that apply to a workload. The canary, the watch for threads and the speed of the core then
// depend on what the first calls show.
func newObservers(w executor.Workload, with *Instruments) observers {
	var o observers
	if observedBy(w, byCanary) {
		if core := with.newCanary(); core != nil {
			o.canary = &canaryProbes{around: with.around, core: core}
		} else {
			o.why = "the clock " + with.clock.Name + " is too coarse for probes"
		}
	} else {
		o.why = processWork
	}
	switch {
	case observedBy(w, byReportedUse):
		o.use = &reportedUse{process: isProcess(w)}
	case observedBy(w, byThreadUse):
		o.use = &threadUse{thread: w.Thread(), around: with.around, tells: isNative(w)}
	}
	if observedBy(w, byCoreSpeed) {
		o.speed = &coreSpeed{around: with.around}
	}
	if observedBy(w, byThreadWatch) {
		o.threads = &threadWatch{thread: w.Thread(), around: with.around}
	}
	if c := with.counters; c != nil && c.Passes() > 0 && (observedBy(w, byThreadCounts) || observedBy(w, byAllCounts)) {
		o.counts = &eventCounts{counters: c, all: !observedBy(w, byThreadCounts)}
	}
	return o
}

// all returns those that observe entries, the outermost one first.
func (o *observers) all() []observer {
	var list []observer
	if o.threads != nil {
		list = append(list, o.threads)
	}
	if o.canary != nil {
		list = append(list, o.canary)
	}
	if o.use != nil {
		list = append(list, o.use)
	}
	if o.counts != nil {
		list = append(list, o.counts)
	}
	return list
}

// countsOf returns a copy of what a batch of the entry has counted; nil if nothing is counted.
func (e *entry) countsOf(i int) []uint64 {
	if e.counts == nil {
		return nil
	}
	return slices.Clone(e.counts[i])
}
