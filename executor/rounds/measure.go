package rounds

import (
	"math"
	"time"

	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// batchTarget is how long a batch shall be, in nanoseconds: long compared with the clock's resolution, short
	// compared with the time slices of the scheduler and of other tenants of the core.
	batchTarget     = 100_000.0
	longestTarget   = 400_000.0 // of launches that measure for seconds
	plentyBatches   = 10_000    // as many tell no less than more
	batchResolution = 1000      // a batch lasts at least this many clock resolutions
	groupTarget     = 1e6       // ns of single-call batches between two probes
	maxGroup        = 512       // single-call batches between two probes
	warmupShare     = 0.2       // of the time budget, at most
	warmupSteady    = 0.01      // relative difference of two successive windows that counts as steady
	lookGrowth      = 1.3       // the stopping rule is checked again when the number of samples has grown by this factor
	mostBatches     = 50_000    // of a launch that are kept; of more, some, evenly
	mostFixed       = 1_000_000 // calls of a round of a fixed number of calls whose times are kept; the same
	movedWindows    = 3         // of warming up, after the arguments have moved
	leastWarmSteps  = 4         // batches of warming up in steps
	mostWarmSteps   = 40        // the same
	steadySteps     = 0.05      // relative difference of two successive ones that counts as steady
	earlyBatches    = 5         // of warming up, whose median tells what calls take at first
	coreCaches      = 1 << 20   // bytes of arguments that exceed the caches that belong to one core, on most processors
)

// measureRound times one launch, or one round of a fixed number of calls. It returns the samples and all that only this
// launch knows; the caller adds identity and status. best are the canary's best levels on this machine.
func (s *Session) measureRound(best noise.Levels) (invocations.Result, error) {
	defer platform.QuietCollector()()
	m := s.inv.Measure
	s.watch.threads.beginRound()
	s.countAgain()
	if s.steps != nil {
		s.steps.Begin(s.asked.Turn, s.asked.Role, s.asked.First)
		defer s.steps.End()
		s.usePrelude() // the other side changes the caches
	}
	if s.calls > 0 && m.Iterations == 0 {
		if err := s.warmAgain(); err != nil {
			return invocations.Result{}, err
		}
	}
	if s.calls == 0 {
		if err := s.makeWarmupCalls(m.WarmupCalls); err != nil {
			return invocations.Result{}, err
		}
	}
	b := newBudget(m, s.now)
	if s.calls == 0 {
		if err := s.prepareTo(m, b); err != nil {
			return invocations.Result{}, err
		}
	}
	r := invocations.Result{
		Calling: invocations.Calling{Mode: m.Mode, Sets: s.call.Sets(), SetBytes: s.call.SetBytes,
			OverheadNS: s.overhead, Clock: s.clock.Name},
		OfArguments: invocations.OfArguments{Places: s.call.Places},
	}
	var err error
	if m.Iterations > 0 {
		err = s.sampleFixed(&r, m.Iterations)
	} else {
		err = s.sample(&r, b, best)
	}
	if err != nil {
		return r, err
	}
	r.CallsPerBatch, r.WarmupCalls, r.EarlyNS = s.calls, s.warmed, s.earlyNS
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	s.addVerdicts(&r)
	return r, nil
}

// warmAgain makes calls that do not count, since somebody else had the caches and set the clock since the last round.
// After a move, the translations of all pages are new, too.
func (s *Session) warmAgain() error {
	if s.steps != nil {
		return s.warmInSteps()
	}
	windows, begun := 1, s.now()
	if s.moved {
		windows, s.moved = movedWindows, false
	}
	for range windows {
		if _, err := s.warmWindow(); err != nil {
			return err
		}
	}
	return s.settleInTurn(begun)
}

// warmInSteps makes batches that do not count until two agree, on both sides: while one side fills the caches, it takes
// them from the other.
func (s *Session) warmInSteps() error {
	s.moved = false
	previous, steady := math.Inf(1), false
	for step := range mostWarmSteps {
		ns, err := s.warmRun(s.calls, s.batches)
		if err != nil {
			return err
		}
		s.steps.Next()
		steady = steady || step >= leastWarmSteps && math.Abs(ns-previous) <= steadySteps*ns
		if steady && s.steps.Warm() {
			return nil
		}
		previous = ns
	}
	return nil
}

// makeWarmupCalls makes the calls that the user wants before all others.
func (s *Session) makeWarmupCalls(n int64) error {
	for s.warmed < n {
		if _, err := s.warmRun(min(n-s.warmed, s.maxCalls()), 1); err != nil {
			return err
		}
	}
	return nil
}

// budget is the time and the number of calls that a launch must take, and may take.
type budget struct {
	now          func() time.Time
	start        time.Time
	minNS, maxNS float64
	minCalls     int64
	precision    float64
}

// shortest returns the least time, in nanoseconds, that a launch takes: a limit may be below what is asked for.
func (b *budget) shortest() float64 { return min(b.minNS, b.maxNS) }

func newBudget(m invocations.Measure, now func() time.Time) budget {
	return budget{
		now:       now,
		start:     now(),
		minNS:     float64(m.MinTimeNS),
		maxNS:     float64(m.MaxTime()),
		minCalls:  m.MinIterations,
		precision: m.Precision,
	}
}

func (b budget) spentNS() float64 { return float64(b.now().Sub(b.start)) }

// prepareTo makes the calls that come before the first timed one, and finds what sampling needs to know.
func (s *Session) prepareTo(m invocations.Measure, b budget) error {
	if m.Iterations > 0 {
		return s.warmUpFixed(b)
	}
	if isProcess(s.call.Work) {
		return s.warmUpProcesses()
	}
	if err := s.findBatch(b); err != nil {
		return err
	}
	if o := &s.watch; o.canary == nil { // also if threads have taken it away
		o.speed.begin(s.clock)
	} else if s.call.SetBytes > coreCaches && !s.inTurns {
		o.canary.watchMemory(s.clock)
	}
	if use, ok := s.watch.use.(*threadUse); ok {
		use.readNS = s.instruments.cpuReadNS()
	}
	return s.openEmpty()
}

// findBatch chooses the batch size and looks whether others do part of the work.
func (s *Session) findBatch(b budget) error {
	threads := s.watch.threads
	if threads == nil {
		return s.chooseBatch(b)
	}
	before := threads.work()
	if err := s.chooseBatch(b); err != nil {
		return err
	}
	why, err := threads.look(before, b, func() error {
		_, err := s.warmRun(s.calls, s.batches)
		return err
	})
	if why != "" {
		s.watch.othersWork(why)
	}
	return err
}

// each returns how many native calls make up one call of the invocation.
func (s *Session) each() int64 { return s.call.Work.Each() }

// fixedCalls returns the number of calls in a batch if the mode or the user prescribes it, else 0.
func (s *Session) fixedCalls() int64 {
	if s.inv.Measure.Mode == invocations.Flush {
		return 1 // the first call brings the lines back
	}
	return s.inv.Measure.CallsPerBatch
}

// maxCalls returns the largest number of calls in a batch.
func (s *Session) maxCalls() int64 {
	most := s.call.Work.MostCalls()
	if most == 0 {
		most = math.MaxInt32 / s.each()
	}
	return min(most, s.restorable())
}

// plannedNS returns how long a batch shall be, in nanoseconds. What is looked at beside a batch takes some microseconds,
// so that batches of long launches are longer.
func (s *Session) plannedNS() float64 {
	long := min(longestTarget, float64(s.inv.Measure.MinTimeNS)/plentyBatches)
	return max(batchTarget, long, batchResolution*s.clock.ResolutionNS)
}

const (
	batchGrowth   = 8.0  // largest factor from one batch to the next: the time of a few calls says little about many
	batchShort    = 0.75 // of the planned length; below it the batch grows
	batchLong     = 3.0  // of the planned length; above it the batch shrinks
	steadyWindows = 2    // pairs of windows in a row that must agree; before a short launch that is the first one, one
	// longShown and longShownShort are the lengths of single calls, as multiples of the planned length of a batch, above
	// which two calls have shown all that warming up can show; the latter before short launches.
	longShown, longShownShort = 30, 5
)

// chooseBatch makes calls that do not count until their times are steady, and chooses the batch size by steady calls:
// the first calls of a function fill its tables, start its threads and touch its pages. It stops when its share of the
// budget is spent.
func (s *Session) chooseBatch(b budget) error {
	fixed, most, target := s.fixedCalls(), s.maxCalls(), s.plannedNS()
	limit := warmupShare * min(b.maxNS, 10e9)
	s.calls, s.batches = min(max(1, fixed), most), 1
	previous, steady, enough := math.Inf(1), 0, steadyWindows
	switch {
	case s.repeats() && s.isLong(s.checkedNS): // the call that was looked at has warmed up
		s.entryNS = s.checkedNS
		return nil
	case s.repeats(): // it is one of several, and its first calls are made
		enough = 0
	case s.short:
		enough = 1
	}
	var begun time.Time
	for {
		ns, err := s.warmWindow()
		if err != nil {
			return err
		}
		if begun.IsZero() { // the time of the first calls is not charged to warming up
			begun = s.now()
		}
		if next := s.resized(ns, target, most, fixed); next != s.calls {
			s.calls, previous, steady = next, math.Inf(1), 0
		} else {
			perCall := ns / float64(s.calls)
			if steady++; math.Abs(perCall-previous) > warmupSteady*perCall {
				steady = 0
			}
			previous = perCall
			if steady >= enough || s.shown(ns) {
				break
			}
		}
		if float64(s.now().Sub(begun)) > limit {
			break
		}
	}
	single := previous * float64(s.calls)
	if s.calls == 1 && single < target && s.call.Work.MostCalls() == 0 && fixed == 1 && s.ring() == nil {
		s.batches = int(min(maxGroup, max(1, groupTarget/max(single, 1))))
	}
	s.setPrelude(previous)
	return nil
}

// shown reports whether single calls are so long that two of them have shown all that warming up can show. ns is the
// time of a batch.
func (s *Session) shown(ns float64) bool { return s.calls == 1 && s.warmed > 1 && s.isLong(ns) }

// isLong reports whether a call of ns nanoseconds is so long that few calls warm up.
func (s *Session) isLong(ns float64) bool {
	factor := longShown
	if s.short {
		factor = longShownShort
	}
	return ns > float64(factor)*s.plannedNS()
}

// resized returns the number of calls for a batch that shall take target nanoseconds, if a batch of s.calls takes ns.
// It returns s.calls if that is near enough.
func (s *Session) resized(ns, target float64, most, fixed int64) int64 {
	switch {
	case fixed > 0:
		return s.calls
	case ns < batchShort*target && s.calls < most:
		factor := min(batchGrowth, target/max(ns, 1))
		return min(most, max(s.calls+1, int64(float64(s.calls)*factor)))
	case ns > batchLong*target && s.calls > 1:
		return max(1, int64(float64(s.calls)*target/ns))
	}
	return s.calls
}

// setPrelude has an untimed call made before each batch, if that call costs little compared with the batch: the probe
// between batches has changed the caches that the function finds. In turns, the core's own caches are all that probes
// change, and arguments that exceed them are not found there anyway.
func (s *Session) setPrelude(perCallNS float64) {
	if perCallNS <= s.plannedNS()/4 && !(s.inTurns && s.call.SetBytes > coreCaches) {
		s.usePrelude()
	}
}

// usePrelude has an untimed call made before each batch, unless batches are single calls by intention.
func (s *Session) usePrelude() {
	if s.batches > 1 || s.call.Work.MostCalls() > 0 || s.call.Work.Thread() == nil || s.noPrelude() {
		return
	}
	s.prelude = 1
	s.tellPrelude()
}

// tellPrelude has the timer make the untimed calls before each batch. If events are counted around its entries, eventCounts
// makes those calls: the events would count them.
func (s *Session) tellPrelude() {
	if s.watch.counts.outside() {
		s.timer.SetPrelude(0)
		return
	}
	s.timer.SetPrelude(int(s.prelude * s.each()))
}

// warmRun makes untimed batches and returns the median time of one.
func (s *Session) warmRun(calls int64, batches int) (float64, error) {
	ns, err := s.timer.Run(calls, batches)
	if err != nil {
		return 0, err
	}
	s.warmed += (calls + s.prelude) * int64(batches)
	s.call.Settle()
	median := stats.Median(ns)
	s.entryNS = median * float64(batches)
	return median, nil
}

// warmUp runs windows of batches until the medians of two successive windows agree, or its share of the budget is
// spent.
func (s *Session) warmUp(b budget) error {
	limit := warmupShare * min(b.maxNS, 10e9)
	previous := math.Inf(1)
	for b.spentNS() < limit {
		median, err := s.warmWindow()
		if err != nil {
			return err
		}
		if math.Abs(median-previous) <= warmupSteady*median {
			return nil
		}
		previous = median
	}
	return nil
}

// warmWindow runs about a millisecond of batches, at most nine, and returns their median. It keeps the first one of batches
// of about the planned length.
func (s *Session) warmWindow() (float64, error) {
	const window, most = 1e6, 9
	var ns []float64
	for spent := 0.0; spent < window && len(ns) < most; {
		one, err := s.warmRun(s.calls, s.batches)
		if err != nil {
			return 0, err
		}
		ns = append(ns, one)
		spent += one * float64(s.batches)
	}
	median := stats.Median(ns)
	if s.earlyNS == 0 && len(ns) >= earlyBatches && median >= s.plannedNS()/2 {
		s.earlyNS = median / float64(s.calls)
	}
	return median, nil
}

// reached reports whether the median of the samples is known to the precision. With three to five samples, all of them
// must lie within the precision.
func reached(samples []float64, precision float64) bool {
	if n := len(samples); n >= 3 && n < 6 {
		s := stats.Summarize(samples, nil)
		return s.CIHighNS-s.CILowNS <= precision*s.MedianNS // with fewer than six, the interval is the whole range
	}
	return stats.Summarize(samples, nil).Within(precision)
}
