package executor

import (
	"math"
	"slices"
	"time"

	"zonemark/driver/stats"
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
	made         []batch
	look         int       // number of batches at which the precision is checked next
	empty        []float64 // gross times per call of the loop over the empty function
	emptyCount   [][]uint64
	emptySpent   time.Duration
	emptySkipped int // turns that were disturbed
	spent        time.Duration
	sofar        []float64 // times per call of the batches that look quiet so far
	sofarNS      float64   // total time of those batches
	dropped      int64     // batches that were discarded because the batch was resized
	resizes      int
	stop         invocations.Stop
}

// sample makes timed batches until the budget's rule says stop, and keeps the quiet ones. It uses others only if there
// are too few quiet ones, and then says so in the result.
func (s *session) sample(r *invocations.Result, b budget, best levels) error {
	run := &sampling{session: s, budget: b, quiet: newQuietness(best, s.canary)}
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
	for run.emptied != nil && len(run.empty) < leastEmpty && !run.knowsOverhead() { // the time was over
		run.emptySkipped = maxEmptySkips
		if err := run.emptyTurn(); err != nil {
			return err
		}
	}
	if len(run.empty) > 0 {
		s.overhead = stats.Median(run.empty)
	}
	r.Stop, r.OverheadNS = run.stop, s.overhead
	run.finish(r)
	return nil
}

// group makes one entry of the timer with probes around it.
func (s *sampling) group() error {
	start := s.around.now()
	before := s.probe()
	usage, cpu := s.around.usage(), s.around.cpuNS()
	ns, counts, err := s.counted(s.timer, s.calls, s.batches)
	if err != nil {
		return err
	}
	spentCPU, after := float64(s.around.cpuNS()-cpu), s.around.usage()
	probe := s.probe()
	s.settle()
	s.spent += s.around.now().Sub(start)
	n := float64(len(ns))
	one := batch{
		cpuNS:       max(0, spentCPU-s.cpuReadNS) / (n * float64(s.calls+s.prelude)),
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
		if counts != nil {
			b.counts = slices.Clone(counts[i])
		}
		s.made = append(s.made, b)
		if s.disturbed(&b) == nothing {
			s.sofar, s.sofarNS = append(s.sofar, b.ns), s.sofarNS+t
		}
	}
	return nil
}

// emptyTurn measures the loop over the empty function, in turns with the function, as long as that takes a small part
// of the time.
func (s *sampling) emptyTurn() error {
	if s.emptied == nil || len(s.empty) >= fewestEmpty && s.emptySpent > time.Duration(emptyShare*float64(s.spent)) ||
		s.knowsOverhead() {
		return nil
	}
	start, usage := s.around.now(), s.around.usage()
	ns, counts, err := s.counted(s.emptied, s.calls, s.batches)
	if err != nil {
		return err
	}
	s.emptySpent += s.around.now().Sub(start)
	last := &s.made[len(s.made)-1]
	interrupted := s.around.usage().Involuntary > usage.Involuntary
	if s.emptySkipped < maxEmptySkips && (interrupted || s.disturbed(last) != nothing) {
		s.emptySkipped++ // the disturbance would be taken for the loop's overhead
		return nil
	}
	for i, t := range ns {
		s.empty = append(s.empty, t/float64(s.calls))
		if counts != nil {
			s.emptyCount = append(s.emptyCount, slices.Clone(counts[i]))
		}
	}
	return nil
}

// knowsOverhead reports whether an earlier round has found an overhead that hardly matters. Counts of events have one of
// their own.
func (s *sampling) knowsOverhead() bool {
	return s.overhead > 0 && !s.counting.inLoop && len(s.made) > 0 &&
		s.overhead < lowOverhead*s.made[len(s.made)-1].ns
}

// resizeBatch checks whether batches are still as long as planned. If they are not, and there is time for new batches,
// it resizes the batch and discards what was measured with the old size. A short round has the size of the rounds
// before it, since little would be left.
func (s *sampling) resizeBatch() {
	if len(s.pooled) > 0 && s.budget.minNS < shortRound || s.batches > 1 || s.resizes >= maxResizes || len(s.made) < recentBatches || s.budget.spentNS() >= s.budget.maxNS {
		return
	}
	var recent []float64
	for _, b := range s.made[len(s.made)-recentBatches:] {
		recent = append(recent, b.ns*float64(s.calls))
	}
	next := s.resized(stats.Median(recent), s.plannedNS(), s.maxCalls(), s.fixedCalls())
	if next == s.calls {
		return
	}
	s.resizes++
	s.dropped += int64(len(s.made))
	s.warmed += int64(len(s.made)) * s.calls
	s.calls = next
	s.made, s.sofar, s.sofarNS = nil, nil, 0
	s.empty, s.emptyCount = nil, nil
}

// decide sets the reason to stop, if there is one.
func (s *sampling) decide() {
	short := s.sofarNS < s.budget.minNS || int64(len(s.sofar))*s.calls < s.budget.minCalls || len(s.made) < s.look
	switch {
	case len(s.made) == 0: // the batch was resized
	case s.budget.spentNS() >= s.budget.maxNS, len(s.made) >= maxSamples:
		s.stop = invocations.StopMaxTime
	case short && s.steps != nil && s.steps.Over(): // the other side's time is over
		s.stop = invocations.StopMaxTime
	case short:
	case s.steps != nil && !s.steps.Enough(): // the other side goes on, and its neighbour must not change
	case s.budget.precision == 0:
		s.stop = invocations.StopMinimum
	case reached(s.sofar, s.budget.precision):
		s.stop = invocations.StopPrecision
	default:
		s.look = int(float64(len(s.made))*lookGrowth) + 1
	}
}

// finish chooses the batches that count, by the best levels that are known at the end, and fills in the result.
func (s *sampling) finish(r *invocations.Result) {
	s.quiet.learn()
	c := &r.Canary
	c.Why = s.canaryWhy
	var quiet, calm, all []*batch
	for i := range s.made {
		b := &s.made[i]
		all = append(all, b)
		if !b.interrupted {
			calm = append(calm, b)
		}
		what := s.disturbed(b)
		if what == nothing {
			quiet = append(quiet, b)
		}
		if s.canary != nil {
			account(c, what)
		}
	}
	kept := quiet
	r.Discarded = invocations.Discarded{
		Switched: int64(len(all) - len(quiet)),
		Warmup:   s.dropped + s.warmed/max(1, s.calls),
	}
	if few := len(quiet) < fewestQuiet && 2*len(quiet) < len(all); few {
		r.AddVerdict(invocations.Contended)
		if kept, r.Discarded.Switched = calm, int64(len(all)-len(calm)); len(calm) == 0 {
			kept, r.Discarded.Switched = all, 0
			r.Notes = append(r.Notes, "every batch was interrupted by other work; the times include the interruptions")
		}
	}
	s.fill(r, kept)
	r.Apart = s.apart(kept)
}

// apart returns the batches that were not kept, with their places. Of very many, it returns some, evenly.
func (s *sampling) apart(kept []*batch) (a invocations.ApartBatches) {
	each := (len(s.made)-len(kept))/invocations.MostApart + 1
	before, number := 0, 0
	for i := range s.made {
		b := &s.made[i]
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
	var clocks, ports []float64
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
	counts, cycles := s.netCounts(kept, s.emptyCount)
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
	s.pooled = append(s.pooled, r.SamplesNS...)
	length := (stats.Median(r.SamplesNS) + s.overhead) * float64(s.calls)
	mayGrow := s.batches == 1 && s.fixedCalls() == 0 && s.calls < s.maxCalls()
	if mayGrow && length < batchShort*s.plannedNS() {
		r.PlannedNS = s.plannedNS()
	}
}
