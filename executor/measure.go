package executor

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"zonemark/executor/native"
	"zonemark/invocations"
)

const (
	batchTarget     = 200_000.0 // ns; long against the clock, short against a scheduler's time slice
	batchResolution = 1000      // a batch lasts at least this many clock resolutions
	groupTarget     = 1e6       // ns of single-call batches between two looks at the scheduler
	groupMax        = 512
	warmupShare     = 0.2  // of the time budget, at most
	warmupSteady    = 0.01 // relative difference of two successive windows that counts as steady
	lookGrowth      = 1.3  // the stopping rule is looked at when the number of samples has grown by this factor
	samplesMax      = 50_000
	overheadBatches = 21
)

// measureRound times one round and returns its samples with everything that only this round knows; the caller adds identity and status.
func (s *session) measureRound() (invocations.Result, error) {
	defer quietCollector()()
	m := s.inv.Measure
	b := newBudget(m)
	if s.calls == 0 {
		if err := s.prepareTo(m, b); err != nil {
			return invocations.Result{}, err
		}
	}
	r := invocations.Result{
		Mode: m.Mode, CallsPerBatch: s.calls, Sets: max(1, len(s.call.Frames)/int(s.each())), SetBytes: s.call.SetBytes,
		WarmupCalls: s.warmed, OverheadNS: s.overhead, Clock: s.clock.Name,
	}
	var err error
	if m.Iterations > 0 {
		err = s.sampleFixed(&r, m.Iterations)
	} else {
		err = s.sample(&r, b)
	}
	if err != nil {
		return r, err
	}
	r.Summary = invocations.Summarize(r.SamplesNS, r.CPUSamplesNS)
	s.judge(&r)
	return r, nil
}

// quietCollector keeps the garbage collector out of the measurement and returns the way back.
func quietCollector() (restore func()) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(percent) }
}

// budget is the share of time and calls that a round may and must take.
type budget struct {
	start        time.Time
	minNS, maxNS float64
	minCalls     int64
	precision    float64
}

func newBudget(m invocations.Measure) budget {
	rounds := max(1, m.Rounds)
	b := budget{
		start: time.Now(), precision: m.Precision,
		minNS: float64(m.MinTimeNS) / float64(rounds), maxNS: math.Inf(1),
		minCalls: (m.MinIterations + int64(rounds) - 1) / int64(rounds),
	}
	if m.MaxTimeNS > 0 {
		b.maxNS = float64(m.MaxTimeNS) / float64(rounds)
	}
	return b
}

func (b budget) spentNS() float64 { return float64(time.Since(b.start)) }

// prepareTo makes the calls that come before the first timed one.
func (s *session) prepareTo(m invocations.Measure, b budget) error {
	if m.Iterations > 0 {
		return s.warmUpFixed(b)
	}
	return s.calibrate(b)
}

// calibrate chooses the batch size, warms up until the times are steady, and measures what the loop itself costs.
func (s *session) calibrate(b budget) error {
	s.chainNS = s.clock.ChainNS()
	single, err := s.chooseBatch()
	if err != nil {
		return err
	}
	s.batches = 1
	if s.calls == 1 && single < batchTarget && s.call.MaxCallsPerBatch == 0 && s.fixedCalls() == 1 {
		s.batches = int(min(groupMax, max(1, groupTarget/max(single, 1))))
	}
	if err := s.warmUp(b); err != nil {
		return err
	}
	return s.measureOverhead()
}

// each is how many native calls one call of the invocation takes.
func (s *session) each() int64 { return max(1, s.call.CallsPerInvocation) }

// fixedCalls is the number of calls in a batch where that is not ours to choose, else 0.
func (s *session) fixedCalls() int64 {
	if s.inv.Measure.Mode == invocations.Flush {
		return 1 // lines come back with the first call
	}
	return s.inv.Measure.CallsPerBatch
}

// chooseBatch sets the calls per batch and returns the time of a batch in ns. It doubles the calls until a batch is long enough.
func (s *session) chooseBatch() (batchNS float64, err error) {
	fixed := s.fixedCalls()
	target := max(batchTarget, batchResolution*s.clock.ResolutionNS)
	most := math.MaxInt32 / s.each()
	if s.call.MaxCallsPerBatch > 0 {
		most = s.call.MaxCallsPerBatch
	}
	for s.calls = min(max(1, fixed), most); ; s.calls = min(2*s.calls, most) {
		ns, err := s.warmRun(s.calls, 1)
		if err != nil {
			return 0, err
		}
		if fixed > 0 || ns >= target || s.calls == most {
			return ns, nil
		}
		if ns > target/64 { // close enough to jump
			s.calls = min(max(s.calls, int64(float64(s.calls)*target/ns)), most)
			return s.warmRun(s.calls, 1)
		}
	}
}

// warmRun makes untimed batches and returns the median time of one.
func (s *session) warmRun(calls int64, batches int) (float64, error) {
	ns, err := s.timer.run(calls, batches)
	if err != nil {
		return 0, err
	}
	s.warmed += calls * int64(batches)
	s.settle()
	return invocations.Median(ns), nil
}

func (s *session) settle() {
	if s.call.SettleOutputs != nil {
		s.call.SettleOutputs()
	}
}

// warmUp runs windows of batches until the medians of two successive windows agree, or its share of the budget is spent.
func (s *session) warmUp(b budget) error {
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

// warmWindow runs about 2 ms of batches, at most nine, and returns their median.
func (s *session) warmWindow() (float64, error) {
	const window, most = 2e6, 9
	var ns []float64
	for spent := 0.0; spent < window && len(ns) < most; {
		one, err := s.warmRun(s.calls, s.batches)
		if err != nil {
			return 0, err
		}
		ns = append(ns, one)
		spent += one * float64(s.batches)
	}
	return invocations.Median(ns), nil
}

// measureOverhead finds what a call of a function that only returns costs in the same loop.
func (s *session) measureOverhead() error {
	empty, err := s.empty()
	if err != nil || empty == nil {
		return err
	}
	defer empty.close()
	calls := min(s.calls, max(1, 100_000/s.each()))
	best := math.Inf(1)
	for range overheadBatches {
		ns, err := empty.run(calls, s.batches)
		if err != nil {
			return err
		}
		best = min(best, slices.Min(ns)/float64(calls))
	}
	s.overhead = best
	return nil
}

// sample makes timed batches until the budget's rule says stop. Batches during which the thread was involuntarily switched out are set
// apart; only when there is nothing else are they used, and then the result says so.
func (s *session) sample(r *invocations.Result, b budget) error {
	var apart, apartCPU []float64
	timed, timedNS := int64(0), 0.0
	look := 0
	for {
		switches, cpu := native.InvoluntarySwitches(), native.ThreadCPUTimeNS()
		ns, err := s.timer.run(s.calls, s.batches)
		if err != nil {
			return err
		}
		cpu, switches = native.ThreadCPUTimeNS()-cpu, native.InvoluntarySwitches()-switches
		s.settle()
		perCall := 1 / float64(s.calls)
		cpuPerCall := float64(cpu) * perCall / float64(len(ns))
		for _, batch := range ns {
			timedNS += batch
			timed += s.calls
			net := batch*perCall - s.overhead
			if switches != 0 {
				apart, apartCPU = append(apart, net), append(apartCPU, cpuPerCall)
				continue
			}
			r.SamplesNS, r.CPUSamplesNS = append(r.SamplesNS, net), append(r.CPUSamplesNS, cpuPerCall)
			s.pooled = append(s.pooled, net)
		}
		if b.spentNS() >= b.maxNS || len(r.SamplesNS) >= samplesMax {
			r.Stop = "max-time"
			break
		}
		if timedNS < b.minNS || timed < b.minCalls || len(s.pooled) < look {
			continue
		}
		if b.precision == 0 {
			r.Stop = "minimum"
			break
		}
		if reached(s.pooled, b.precision) {
			r.Stop = "precision"
			break
		}
		look = int(float64(len(s.pooled))*lookGrowth) + 1
	}
	r.Discarded = invocations.Discarded{Switched: int64(len(apart)), Warmup: s.warmed / max(1, s.calls)}
	if len(r.SamplesNS) == 0 {
		r.SamplesNS, r.CPUSamplesNS, r.Discarded.Switched = apart, apartCPU, 0
		r.Notes = append(r.Notes, "every batch was interrupted by other work; the times include the interruptions")
		r.Verdicts = append(r.Verdicts, invocations.Contended)
	}
	r.Iterations = int64(len(r.SamplesNS)) * s.calls
	if s.batches > 1 {
		r.CPUSamplesNS = nil // the CPU time of a group holds the flushes and clock reads between its batches
	}
	return nil
}

// reached says whether the median of the samples is known to the precision.
func reached(samples []float64, precision float64) bool {
	return invocations.Summarize(samples, nil).Within(precision)
}
