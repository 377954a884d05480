package executor

import (
	"fmt"
	"math"
	"slices"
	"time"

	"zonemark/driver/stats"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// batch is a timed batch with what was observed around it. Times and counts are gross.
type batch struct {
	ns               float64 // per call
	cpuNS            float64 // per call, of the thread; NaN if it was not measured
	before, after    probes
	interrupted      bool    // the thread was taken off its CPU
	switches, faults float64 // context switches and page faults
	waits            float64 // switches by which the thread gave up its CPU itself
	counts           []uint64
	used             Used // by the processes of the call, if it runs in such
}

const (
	lostShare     = 0.005 // share of its time that an interrupted batch may have been off the CPU and still count
	fewestQuiet   = 10    // a launch with fewer quiet batches, and fewer than half of all, was not measured in quiet
	shortRound    = 10e6  // ns of a round that does not resize the batch of the rounds before it
	lowOverhead   = 1e-3  // of the time of a call: an overhead that is not measured again in each round
	emptyShare    = 0.1   // share of the time that is spent on the loop over the empty function
	fewestEmpty   = 11    // quiet batches over the empty function
	leastEmpty    = 3     // batches over the empty function, disturbed or not, that net times need
	maxEmptySkips = 100   // turns over the empty function that are discarded because they were disturbed
	recentBatches = 9     // that show whether batches are still as long as planned
	maxResizes    = 10    // of the batch, while sampling
)

// sampling is a launch that is under way.
type sampling struct {
	*session
	budget       budget
	quiet        quietness
	made         *thinned[batch]
	last         batch           // that was made
	look         int64           // number of batches at which the precision is checked next
	empty        *thinned[empty] // batches of the loop over the empty function
	emptySpent   time.Duration
	emptySkipped int     // turns that were disturbed
	enterNS      float64 // what entering the timer takes besides its batches; 0: not known yet
	spent        time.Duration
	quiets       int64   // batches that looked quiet when they were made
	quietNS      float64 // total time of those batches
	dropped      int64   // batches that were discarded because the batch was resized
	resizes      int
	stop         invocations.Stop
}

// empty is a batch over the empty function.
type empty struct {
	ns     float64 // per call, gross
	counts []uint64
}

func newSampling(s *session, b budget, best levels) *sampling {
	run := &sampling{session: s, budget: b, quiet: newQuietness(best, s.canary)}
	run.begin()
	return run
}

// begin forgets the batches that were made.
func (s *sampling) begin() {
	s.made, s.empty = newThinned[batch](mostBatches), newThinned[empty](mostBatches)
	s.quiets, s.quietNS = 0, 0
}

// sample makes timed batches until the budget's rule says stop, and keeps the quiet ones. It uses others only if there
// are too few quiet ones, and then says so in the result.
func (s *session) sample(r *invocations.Result, b budget, best levels) error {
	run := newSampling(s, b, best)
	for step := 0; run.stop == ""; step++ {
		if step > 0 && s.steps != nil {
			s.steps.Next()
		}
		if err := run.group(); err != nil {
			return err
		}
		if err := run.emptyTurn(); err != nil {
			return err
		}
		run.resizeBatch()
		run.decide()
	}
	for run.emptied != nil && run.empty.seen < leastEmpty && !run.knowsOverhead() { // the time was over
		run.emptySkipped = maxEmptySkips
		if err := run.emptyTurn(); err != nil {
			return err
		}
	}
	if n := len(run.empty.kept); n > 0 {
		ns := make([]float64, n)
		for i, one := range run.empty.kept {
			ns[i] = one.ns
		}
		s.overhead = stats.Median(ns)
	}
	r.Stop, r.OverheadNS = run.stop, s.overhead
	run.finish(r)
	return nil
}

// group makes one entry of the timer with probes around it.
func (s *sampling) group() error {
	start := time.Now()
	before := s.probe()
	usage, cpu := platform.ThreadUsage(), platform.ThreadCPUTimeNS()
	ns, counts, err := s.counted(s.timer, s.calls, s.batches)
	if err != nil {
		return err
	}
	spentCPU, after := float64(platform.ThreadCPUTimeNS()-cpu), platform.ThreadUsage()
	spentCPU *= s.timedShare(ns)
	probe := s.probe()
	s.settle()
	s.spent += time.Since(start)
	n := float64(len(ns))
	one := batch{
		cpuNS:       max(0, spentCPU-s.cpuReadNS) / (n * float64(s.calls)),
		before:      before,
		after:       probe,
		interrupted: after.Involuntary > usage.Involuntary && !s.call.Device,
		switches:    float64(after.Switches()-usage.Switches()) / n,
		faults:      float64(after.Faults-usage.Faults) / n,
		waits:       float64(after.Voluntary-usage.Voluntary) / n,
	}
	if t, ok := s.timer.(*processTimer); ok {
		one.take(t.last, float64(s.calls))
	}
	if s.batches > 1 {
		one.cpuNS = math.NaN() // a group's CPU time includes the flushes and clock reads between its batches
	}
	if s.canary != nil {
		s.quiet.add(before, probe)
	}
	for i, t := range ns {
		b := one
		b.ns = t / float64(s.calls)
		b.interrupted = b.interrupted && !(b.cpuNS >= (1-lostShare)*b.ns) // a moment in a long batch does not matter
		if s.made.wants() {
			if counts != nil {
				b.counts = slices.Clone(counts[i])
			}
			s.made.keep(b)
		}
		s.made.next()
		if s.last = b; s.disturbed(&b) == nothing {
			s.quiets, s.quietNS = s.quiets+1, s.quietNS+t
		}
	}
	return nil
}

// timedShare returns which share of the time of the last entry of the timer was not that of the prelude, if it has made
// batches of these times. The clock of the thread's CPU time can only be read around the whole entry, and the calls of
// the prelude may take far longer than those of the batch: they are the first ones to find other caches.
func (s *sampling) timedShare(ns []float64) float64 {
	untimed := float64(s.entryNS) - sumOf(ns) - s.enterNS
	if s.prelude == 0 || s.entryNS == 0 || untimed <= 0 {
		return 1
	}
	return 1 - untimed/float64(s.entryNS)
}

// emptyTurn measures the loop over the empty function, in turns with the function, as long as that takes a small part
// of the time.
func (s *sampling) emptyTurn() error {
	if s.emptied == nil || s.empty.seen >= fewestEmpty && s.emptySpent > time.Duration(emptyShare*float64(s.spent)) ||
		s.knowsOverhead() {
		return nil
	}
	start, usage := time.Now(), platform.ThreadUsage()
	ns, counts, err := s.counted(s.emptied, s.calls, s.batches)
	if err != nil {
		return err
	}
	s.emptySpent += time.Since(start)
	if enter := float64(s.entryNS) - sumOf(ns); s.enterNS == 0 || enter < s.enterNS {
		s.enterNS = max(0, enter)
	}
	interrupted := platform.ThreadUsage().Involuntary > usage.Involuntary
	if s.emptySkipped < maxEmptySkips && (interrupted || s.disturbed(&s.last) != nothing) {
		s.emptySkipped++ // the disturbance would be taken for the loop's overhead
		return nil
	}
	for i, t := range ns {
		if s.empty.wants() {
			one := empty{ns: t / float64(s.calls)}
			if counts != nil {
				one.counts = slices.Clone(counts[i])
			}
			s.empty.keep(one)
		}
		s.empty.next()
	}
	return nil
}

// knowsOverhead reports whether an earlier round has found an overhead that hardly matters. Counts of events have one of
// their own.
func (s *sampling) knowsOverhead() bool {
	return s.overhead > 0 && !s.counting.inLoop && s.made.seen > 0 && s.overhead < lowOverhead*s.last.ns
}

// resizeBatch checks whether batches are still as long as planned. If they are not, and there is time for new batches,
// it resizes the batch and discards what was measured with the old size. A short round has the size of the rounds
// before it, since little would be left.
func (s *sampling) resizeBatch() {
	short := s.pooled != nil && s.budget.minNS < shortRound
	if short || s.batches > 1 || s.resizes >= maxResizes || len(s.made.kept) < recentBatches ||
		s.budget.spentNS() >= s.budget.maxNS {
		return
	}
	var recent [recentBatches]float64
	for i, b := range s.made.kept[len(s.made.kept)-recentBatches:] {
		recent[i] = b.ns * float64(s.calls)
	}
	slices.Sort(recent[:])
	next := s.resized(stats.Quantile(recent[:], 0.5), s.plannedNS(), s.maxCalls(), s.fixedCalls())
	if next == s.calls {
		return
	}
	s.resizes++
	s.dropped += s.made.seen
	s.warmed += s.made.seen * s.calls
	s.calls = next
	s.begin()
}

// timedNS returns how much of the least time is measured. Of very many short batches with much work between them, such
// as evicting lines, the time of that work counts, too.
func (s *sampling) timedNS() float64 {
	if s.made.seen > mostBatches {
		return max(s.quietNS, float64(s.spent))
	}
	return s.quietNS
}

// sofar returns the times per call of the kept batches that look quiet so far.
func (s *sampling) sofar() []float64 {
	ns := make([]float64, 0, len(s.made.kept))
	for i := range s.made.kept {
		if b := &s.made.kept[i]; s.disturbed(b) == nothing {
			ns = append(ns, b.ns)
		}
	}
	return ns
}

// decide sets the reason to stop, if there is one.
func (s *sampling) decide() {
	short := s.timedNS() < s.budget.minNS || s.quiets*s.calls < s.budget.minCalls || s.made.seen < s.look
	switch {
	case s.made.seen == 0: // the batch was resized
	case s.budget.spentNS() >= s.budget.maxNS:
		s.stop = invocations.StopMaxTime
	case short && s.steps != nil && s.steps.Over(): // the other side's time is over
		s.stop = invocations.StopMaxTime
	case short:
	case s.steps != nil && !s.steps.Enough(): // the other side goes on, and its neighbour must not change
	case s.budget.precision == 0:
		s.stop = invocations.StopMinimum
	case reached(s.sofar(), s.budget.precision):
		s.stop = invocations.StopPrecision
	default:
		s.look = int64(float64(s.made.seen)*lookGrowth) + 1
	}
}

// finish chooses the batches that count, by the best levels that are known at the end, and fills in the result.
func (s *sampling) finish(r *invocations.Result) {
	s.quiet.learn()
	c := &r.Canary
	c.Why = s.canaryWhy
	n, each := len(s.made.kept), s.made.block
	quiet, calm, all := make([]*batch, 0, n), make([]*batch, 0, n), make([]*batch, n)
	for i := range s.made.kept {
		b := &s.made.kept[i]
		all[i] = b
		if !b.interrupted {
			calm = append(calm, b)
		}
		what := s.disturbed(b)
		if what == nothing {
			quiet = append(quiet, b)
		}
		if s.canary != nil {
			account(c, what, each)
		}
	}
	kept := quiet
	r.Discarded = invocations.Discarded{
		Switched: int64(len(all)-len(quiet)) * each,
		Warmup:   s.dropped + s.warmed/max(1, s.calls),
	}
	if few := len(quiet) < fewestQuiet && 2*len(quiet) < len(all); few {
		r.AddVerdict(invocations.Contended)
		if kept, r.Discarded.Switched = calm, int64(len(all)-len(calm))*each; len(calm) == 0 {
			kept, r.Discarded.Switched = all, 0
			r.Notes = append(r.Notes, "every batch was interrupted by other work; the times include the interruptions")
		}
	}
	s.fill(r, kept)
	r.Apart = s.apart(kept)
	noteThinned(r, each, "batches", s.made.seen)
}

// noteThinned adds a note to a result that does not hold the times of all that was timed.
func noteThinned(r *invocations.Result, each int64, what string, all int64) {
	if each > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("of %d timed %s, the times of one in %d are kept, chosen at random",
			all, what, each))
	}
}

// apart returns the batches that were not kept, with their places. Of very many, it returns some, evenly.
func (s *sampling) apart(kept []*batch) (a invocations.ApartBatches) {
	each := (len(s.made.kept)-len(kept))/invocations.MostApart + 1
	before, number := 0, 0
	for i := range s.made.kept {
		b := &s.made.kept[i]
		if before < len(kept) && kept[before] == b {
			before++
			continue
		}
		if number%each == 0 {
			a.NS, a.After = append(a.NS, b.ns-s.overhead), append(a.After, int64(before))
		}
		number++
	}
	return a
}

// fill puts the net times and counts of the kept batches into the result.
func (s *sampling) fill(r *invocations.Result, kept []*batch) {
	clocks, ports := make([]float64, 0, len(kept)), make([]float64, 0, len(kept))
	r.SamplesNS, r.CPUSamplesNS = make([]float64, 0, len(kept)), make([]float64, 0, len(kept))
	if s.canary != nil {
		r.CyclesSamples = make([]float64, 0, len(kept))
	}
	takenCPU := true
	for _, b := range kept {
		net := b.ns - s.overhead
		r.SamplesNS = append(r.SamplesNS, net)
		if takenCPU = takenCPU && !math.IsNaN(b.cpuNS); takenCPU {
			r.CPUSamplesNS = append(r.CPUSamplesNS, b.cpuNS)
		}
		if s.canary != nil {
			ghz, level := s.quiet.clock(b)
			r.CyclesSamples = append(r.CyclesSamples, net*ghz)
			clocks, ports = append(clocks, ghz), append(ports, level)
		}
	}
	if !takenCPU {
		r.CPUSamplesNS = nil
	}
	if s.call.Run != nil {
		r.Properties = processProperties(kept)
	}
	waits := 0
	for _, b := range kept {
		if b.waits > 0 {
			waits++
		}
	}
	s.gaveUp = 2*waits > len(kept)
	r.Iterations = int64(len(kept)) * s.calls
	counts, cycles := s.netCounts(kept, s.empty.kept)
	if s.counting.inLoop && s.counters.Read(s.counting.after) != nil {
		// An event had lost its counter, which the loop cannot see.
		counts, cycles = nil, nil
	}
	r.Counters = append(counts, systemCounts(kept, s.calls)...)
	if len(clocks) > 0 {
		r.Canary.KeptPorts, r.Canary.GHz = stats.Median(ports), stats.Median(clocks)
		s.quiet.report(&r.Canary)
	}
	if len(cycles) > 0 {
		r.CyclesSamples, r.CyclesCounted = cycles, true
		clocks = clocks[:0]
		for i, c := range cycles {
			clocks = append(clocks, c/r.SamplesNS[i])
		}
		if r.Canary.GHz == 0 {
			r.Canary.GHz = stats.Median(clocks)
		}
	}
	s.pool(r.SamplesNS)
	length := (stats.Median(r.SamplesNS) + s.overhead) * float64(s.calls)
	mayGrow := s.batches == 1 && s.fixedCalls() == 0 && s.calls < s.maxCalls()
	if mayGrow && length < batchShort*s.plannedNS() {
		r.PlannedNS = s.plannedNS()
	}
}

func sumOf(ns []float64) (sum float64) {
	for _, t := range ns {
		sum += t
	}
	return sum
}
