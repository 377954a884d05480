package rounds

import (
	"fmt"
	"slices"
	"time"

	"zonemark/executor"
	"zonemark/executor/rounds/noise"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// batch is a timed batch with what was observed around it. Times and counts are gross.
type batch struct {
	ns               float64 // per call
	cpuNS            float64 // per call, of the thread; NaN if it was not measured
	before, after    noise.Probes
	interrupted      bool    // the thread was taken off its CPU
	switches, faults float64 // context switches and page faults
	waits            float64 // switches by which the thread gave up its CPU itself
	systemNS         float64 // CPU time that the system spent for the thread
	counts           []uint64
	used             *executor.Used // by the processes of the call; nil if it does not run in such
}

const (
	lookNS        = 3000    // more than the system works for what we look at around an entry, which counts as the entry's
	lostShare     = 0.005   // share of its time that an interrupted batch may have been off the CPU and still count
	fewestQuiet   = 10      // a launch with fewer quiet batches, and fewer than half of all, was not measured in quiet
	quietShare    = 0.01    // or a smaller share of them: probes around a disturbed batch may be quiet by chance
	shortQuiet    = 0.1     // share of quiet batches that suffices in a short launch, which has few: further launches come
	shortRound    = 10e6    // ns of a round that does not resize the batch of the rounds before it
	lowOverhead   = 1e-3    // of the time of a call: an overhead that is not measured again in each round
	emptyShare    = 0.1     // share of the time that is spent on the loop over the empty function
	fewestEmpty   = 11      // quiet batches over the empty function
	mostEmpty     = 1 << 12 // of those that are kept: their median is all that is asked of them
	leastEmpty    = 3       // batches over the empty function, disturbed or not, that net times need
	maxEmptySkips = 100     // turns over the empty function that are discarded because they were disturbed
	recentBatches = 9       // that show whether batches are still as long as planned
	maxResizes    = 10      // of the batch, while sampling
	// sharedShare is the share of the time of batches beside other work that counts towards the least time of a short
	// launch: to wait for a quiet core costs more than it tells, and further launches come.
	sharedShare = 0.5
)

// sampling is a launch that is under way.
type sampling struct {
	*Session
	budget       budget
	quiet        noise.Learner
	own          ownClock
	observing    []observer
	entry        entry // the last one; reused
	made         *stats.Thinned[batch]
	last         batch                 // that was made
	look         int64                 // number of batches at which the precision is checked next
	empty        *stats.Thinned[empty] // batches of the loop over the empty function
	emptySpent   time.Duration
	emptySkipped int // turns that were disturbed
	spent        time.Duration
	quiets       int64   // batches that looked quiet when they were made
	quietNS      float64 // total time of those batches
	sharedNS     float64 // the same of batches that were disturbed, but not interrupted
	dropped      int64   // batches that were discarded because the batch was resized
	resizes      int
	stop         invocations.Stop
}

// disturbed returns what disturbed a batch, as far as the probes and the system show it.
func (s *sampling) disturbed(b *batch) noise.Disturbance {
	switch {
	case b.interrupted && !s.watch.threads.takeTurns():
		return noise.Interrupted
	case s.watch.canary == nil:
		return noise.None
	}
	return s.quiet.Of(b.before, b.after)
}

// empty is a batch over the empty function.
type empty struct {
	ns     float64 // per call, gross
	counts []uint64
	beside batch // the batch of the function before it, with its probes
}

func newSampling(s *Session, b budget, best noise.Levels) *sampling {
	run := &sampling{Session: s, budget: b, quiet: noise.New(best, s.watch.canary.countsCycles()),
		own: newOwnClock(s), observing: s.watch.all()}
	run.begin()
	return run
}

// begin forgets the batches that were made.
func (s *sampling) begin() {
	s.made, s.empty = stats.NewThinned[batch](mostBatches), stats.NewThinned[empty](mostEmpty)
	s.quiets, s.quietNS, s.sharedNS = 0, 0, 0
	s.watch.threads.beginBatches(s.inTurns)
}

// sample makes timed batches until the budget's rule says stop, and keeps the quiet ones. It uses others only if there
// are too few quiet ones, and then says so in the result.
func (s *Session) sample(r *invocations.Result, b budget, best noise.Levels) error {
	run := newSampling(s, b, best)
	if err := run.lookBefore(); err != nil {
		return err
	}
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
	for run.emptied != nil && run.empty.Seen < leastEmpty && !run.knowsOverhead() { // the time was over
		run.emptySkipped = maxEmptySkips
		if err := run.emptyTurn(); err != nil {
			return err
		}
	}
	run.lookAfter()
	if ns := run.emptyNS(); len(ns) > 0 {
		s.overhead = stats.Median(ns)
	}
	r.Stop, r.OverheadNS = run.stop, s.overhead
	run.finish(r)
	return nil
}

// enter makes one entry of a timer, observed.
func (s *sampling) enter(t timers.Timer, isEmpty bool) (*entry, error) {
	e := &s.entry
	*e = entry{timer: t, calls: s.calls, batches: s.batches, prelude: s.prelude, empty: isEmpty,
		restored: s.ring() != nil && !isEmpty}
	for _, o := range s.observing {
		if err := o.begin(e); err != nil {
			return nil, err
		}
	}
	var err error
	if e.ns, err = t.Run(s.calls, s.batches); err != nil {
		return nil, err
	}
	for _, o := range slices.Backward(s.observing) {
		o.end(e)
	}
	return e, nil
}

// group makes one entry of the timer and keeps its batches.
func (s *sampling) group() error {
	start := s.now()
	e, err := s.enter(s.timer, false)
	if err != nil {
		return err
	}
	s.call.Settle()
	s.spent += s.now().Sub(start)
	if s.watch.canary != nil {
		s.quiet.Add(e.seen.before, e.seen.after)
		if !e.seen.interrupted { // else the clock may be that of others
			s.own.add(e.seen.before, e.seen.after)
		}
	}
	for i, t := range e.ns {
		b := e.seen
		b.ns = t / float64(s.calls)
		b.interrupted = b.interrupted && !(b.cpuNS >= (1-lostShare)*b.ns) // a moment in a long batch does not matter
		if s.made.Wants() {
			b.counts = e.countsOf(i)
			s.made.Keep(b)
		}
		s.made.Next()
		if s.last = b; s.disturbed(&b) == noise.None {
			s.quiets, s.quietNS = s.quiets+1, s.quietNS+t
		} else if !b.interrupted {
			s.sharedNS += t
		}
	}
	return nil
}

// emptyTurn measures the loop over the empty function, in turns with the function, as long as that takes a small part
// of the time.
func (s *sampling) emptyTurn() error {
	if s.emptied == nil || s.knowsOverhead() ||
		s.empty.Seen >= fewestEmpty && s.emptySpent > time.Duration(emptyShare*float64(s.spent)) {
		return nil
	}
	start := s.now()
	e, err := s.enter(s.emptied, true)
	if err != nil {
		return err
	}
	s.emptySpent += s.now().Sub(start)
	if s.emptySkipped < maxEmptySkips && (e.seen.interrupted || s.disturbed(&s.last) != noise.None) {
		s.emptySkipped++ // the disturbance would be taken for the loop's overhead
		return nil
	}
	for i, t := range e.ns {
		if s.empty.Wants() {
			s.empty.Keep(empty{ns: t / float64(s.calls), counts: e.countsOf(i), beside: s.last})
		}
		s.empty.Next()
	}
	return nil
}

// emptyNS returns the times of the batches over the empty function, per call. A launch that begins while the core is
// shared learns only later that it was: batches beside disturbed ones are left out if there are enough others.
func (s *sampling) emptyNS() []float64 {
	s.quiet.Learn()
	var all, quiet []float64
	for i := range s.empty.Kept {
		one := &s.empty.Kept[i]
		if all = append(all, one.ns); s.disturbed(&one.beside) == noise.None {
			quiet = append(quiet, one.ns)
		}
	}
	if len(quiet) >= leastEmpty {
		return quiet
	}
	return all
}

// knowsOverhead reports whether an earlier round has found an overhead that hardly matters. Counts of events have one of
// their own.
func (s *sampling) knowsOverhead() bool {
	return s.overhead > 0 && !s.watch.counts.countsInLoop() && s.made.Seen > 0 && s.overhead < lowOverhead*s.last.ns
}

// resizeBatch checks whether batches are still as long as planned. If they are not, and there is time for new batches,
// it resizes the batch and discards what was measured with the old size. A short round has the size of the rounds
// before it, since little would be left.
func (s *sampling) resizeBatch() {
	short := s.pooled != nil && s.budget.minNS < shortRound
	if short || s.batches > 1 || s.resizes >= maxResizes || len(s.made.Kept) < recentBatches ||
		s.budget.spentNS() >= s.budget.maxNS {
		return
	}
	var recent [recentBatches]float64
	for i, b := range s.made.Kept[len(s.made.Kept)-recentBatches:] {
		recent[i] = b.ns * float64(s.calls)
	}
	slices.Sort(recent[:])
	next := s.resized(stats.Quantile(recent[:], 0.5), s.plannedNS(), s.maxCalls(), s.fixedCalls())
	if next == s.calls {
		return
	}
	s.resizes++
	s.dropped += s.made.Seen
	s.warmed += s.made.Seen * s.calls
	s.calls = next
	s.begin()
}

// timedNS returns how much of the least time is measured. Of very many short batches with much work between them, such
// as evicting lines, the time of that work counts, too.
func (s *sampling) timedNS() float64 {
	if s.made.Seen > mostBatches {
		return max(s.quietNS, float64(s.spent))
	}
	if s.short {
		return s.quietNS + sharedShare*s.sharedNS
	}
	return s.quietNS
}

// sofar returns the times per call of the kept batches that look quiet so far.
func (s *sampling) sofar() []float64 {
	ns := make([]float64, 0, len(s.made.Kept))
	for i := range s.made.Kept {
		if b := &s.made.Kept[i]; s.disturbed(b) == noise.None {
			ns = append(ns, b.ns)
		}
	}
	return ns
}

// decide sets the reason to stop, if there is one.
func (s *sampling) decide() {
	counted := s.quiets
	if s.short {
		counted = s.made.Seen
	}
	short := s.timedNS() < s.budget.minNS || counted*s.calls < s.budget.minCalls || s.made.Seen < s.look
	switch {
	case s.made.Seen == 0: // the batch was resized
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
		s.look = int64(float64(s.made.Seen)*lookGrowth) + 1
	}
}

// finish chooses the batches that count, by the best levels that are known at the end, and fills in the result.
func (s *sampling) finish(r *invocations.Result) {
	s.findThreads()
	s.quiet.Learn()
	c := &r.Canary
	c.Why = s.watch.why
	n, each := len(s.made.Kept), s.made.Block
	quiet, calm, all := make([]*batch, 0, n), make([]*batch, 0, n), make([]*batch, n)
	for i := range s.made.Kept {
		b := &s.made.Kept[i]
		all[i] = b
		if !b.interrupted {
			calm = append(calm, b)
		}
		what := s.disturbed(b)
		if what == noise.None {
			quiet = append(quiet, b)
		}
		if s.watch.canary != nil {
			what.Account(c, each)
		}
	}
	kept := quiet
	r.Discarded = invocations.Discarded{
		Disturbed: int64(len(all)-len(quiet)) * each,
		Warmup:    s.dropped + s.warmed/max(1, s.calls),
	}
	if float64(len(quiet)) < s.enoughQuiet(float64(len(all))) {
		r.AddVerdict(invocations.Contended)
		if kept, r.Discarded.Disturbed = calm, int64(len(all)-len(calm))*each; len(calm) == 0 {
			kept, r.Discarded.Disturbed = all, 0
			r.Notes = append(r.Notes, "every batch was interrupted by other work; the times include the interruptions")
		}
	}
	s.fill(r, kept)
	s.own.report(c)
	r.Apart = s.apart(kept)
	noteThinned(r, each, "batches", s.made.Seen)
}

// enoughQuiet returns how many of all batches must be quiet for the others to be left out.
func (s *sampling) enoughQuiet(all float64) float64 {
	enough := min(all/2, max(fewestQuiet, quietShare*all))
	if s.short {
		return min(enough, max(1, shortQuiet*all))
	}
	return enough
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
	each := (len(s.made.Kept)-len(kept))/invocations.MostApart + 1
	before, number := 0, 0
	for i := range s.made.Kept {
		b := &s.made.Kept[i]
		if before < len(kept) && kept[before] == b {
			before++
			continue
		}
		if number%each == 0 {
			a.NS, a.After = append(a.NS, b.ns-s.overhead), append(a.After, int64(before))
			if b.cpuNS >= 0 {
				a.CPUNS = append(a.CPUNS, b.cpuNS)
			}
		}
		number++
	}
	return a
}

// fill puts the net times of the kept batches into the result, and what the observers have seen of them.
func (s *sampling) fill(r *invocations.Result, kept []*batch) {
	r.SamplesNS = make([]float64, len(kept))
	for i, b := range kept {
		r.SamplesNS[i] = b.ns - s.overhead
	}
	r.Iterations = int64(len(kept)) * s.made.Block * s.calls
	for _, o := range slices.Backward(s.observing) {
		o.report(s, r, kept)
	}
	s.pool(r.SamplesNS)
	length := (stats.Median(r.SamplesNS) + s.overhead) * float64(s.calls)
	mayGrow := s.batches == 1 && s.fixedCalls() == 0 && s.calls < s.maxCalls()
	if mayGrow && length < batchShort*s.plannedNS() {
		r.PlannedNS = s.plannedNS()
	}
}
