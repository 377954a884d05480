package rounds

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// useOf returns what observes the thread of a session.
func useOf(s *Session) *threadUse { return s.watch.use.(*threadUse) }

func TestJudge(t *testing.T) {
	clock := native.MonotonicClock()
	steady := make([]float64, 100)
	wide := make([]float64, 100)
	for i := range steady {
		steady[i] = 1000
		wide[i] = float64(1000 + 10*i)
	}
	for _, c := range []struct {
		name string
		edit func(*Session, *invocations.Result)
		want invocations.Verdict
	}{
		{"nothing wrong", func(*Session, *invocations.Result) {}, invocations.Clean},
		{"off its CPU", func(_ *Session, r *invocations.Result) {
			r.Summary.CPUMedianNS = 800
		}, invocations.Contended},
		{"waits by itself", func(s *Session, r *invocations.Result) {
			r.Summary.CPUMedianNS, useOf(s).gaveUp = 800, true
		}, invocations.Clean},
		{"waits for a device", func(s *Session, r *invocations.Result) {
			useOf(s).thread.Waits, r.Summary.CPUMedianNS = true, 1.35
		}, invocations.Clean},
		{"called by Go, waits", func(s *Session, r *invocations.Result) {
			s.watch = newObservers(&executor.Function{}, instrumentsOf(clock))
			r.Summary.CPUMedianNS = 1.35
		}, invocations.Clean},
		{"less time than the thread used", func(_ *Session, r *invocations.Result) {
			r.Summary.CPUMedianNS = 20_000
		}, invocations.TooShort},
		{"slower core", func(s *Session, _ *invocations.Result) { s.watch.speed.beforeNS = 1e-3 }, invocations.Throttled},
		{"batches shorter than planned", func(s *Session, r *invocations.Result) {
			r.PlannedNS, s.clock.ResolutionNS = batchTarget, 20_000 // of batches of 1 ms
		}, invocations.TooShort},
		{"batches shorter than planned, but long against the clock", func(s *Session, r *invocations.Result) {
			r.PlannedNS, s.clock.ResolutionNS = batchTarget, 5000
		}, invocations.Clean},
		{"below what the clock tells", func(s *Session, _ *invocations.Result) {
			s.clock.ResolutionNS = 2e6
		}, invocations.TooShort},
		{"spread", func(s *Session, r *invocations.Result) {
			s.pooled, r.Stop = nil, "max-time"
			s.pool(wide)
		}, invocations.NotConverged},
		{"out of time but known", func(s *Session, r *invocations.Result) { r.Stop = "max-time" }, invocations.Clean},
	} {
		s := sessionOf(&executor.Native{}, nil, instrumentsOf(clock), invocations.Measure{Precision: 0.01})
		s.calls = 1000
		r := &invocations.Result{Batches: invocations.Batches{SamplesNS: steady},
			Calling: invocations.Calling{Stop: "precision"}, Summary: stats.Summarize(steady, steady)}
		s.pool(steady)
		c.edit(s, r)
		s.addVerdicts(r)
		if !slices.Equal(r.Verdicts, []invocations.Verdict{c.want}) {
			t.Errorf("%s: %v, want %s", c.name, r.Verdicts, c.want)
		}
	}
}

// A core that has become slower shows also under a call that has threads: the speed at the beginning used to be known
// only of calls that never had a canary.
func TestThrottledWithThreads(t *testing.T) {
	for _, threads := range []bool{false, true} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e5, MaxTimeNS: 1e9}
		call := callOf(&executor.Function{Invoke: func() error { return nil }})
		s, err := newSession(&invocations.Invocation{Measure: m}, call,
			instrumentsOf(native.CalibrateClock(calibration)))
		if err != nil {
			t.Fatal(err)
		}
		if s.watch.canary == nil {
			t.Skip(s.watch.why)
		}
		if s.watch.threads.known = true; threads {
			s.watch.threads.found = threadsWork
		}
		if err := s.prepareTo(m, newBudget(m, s.now)); err != nil {
			t.Fatal(err)
		}
		if (s.watch.speed.beforeNS > 0) != threads || (s.watch.canary == nil) != threads {
			t.Errorf("threads %t: a chain of %g ns at the beginning, canary %t", threads, s.watch.speed.beforeNS, s.watch.canary != nil)
		}
		s.watch.speed.beforeNS /= 1000 // as if the core had been a thousand times as fast
		r := &invocations.Result{}
		if s.addVerdicts(r); slices.Contains(r.Verdicts, invocations.Throttled) != threads {
			t.Errorf("threads %t: %v", threads, r.Verdicts)
		}
	}
}

// The calls before a batch, which are not timed, find other caches and may take longer than the whole batch. Their CPU
// time used to count as the batch's, which then was too short for its clock.
func TestPreludeTakesNoCPUTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 5e6, MaxTimeNS: 1e10}
	s := sessionOf(&executor.Native{}, &slowBegin{}, &Instruments{around: system{}}, m)
	s.calls, s.batches = 4, 1
	s.usePrelude()
	r := invocations.Result{}
	if err := s.sample(&r, newBudget(m, s.now), noise.Levels{}); err != nil {
		t.Fatal(err)
	}
	r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	if s.addVerdicts(&r); slices.Contains(r.Verdicts, invocations.TooShort) || s.prelude != 1 {
		t.Errorf("%v: %g ns a call, CPU time %g ns", r.Verdicts, r.Summary.MedianNS, r.Summary.CPUMedianNS)
	}
}

// slowBegin is a timer of calls of 25 µs, of which the untimed ones take a millisecond.
type slowBegin struct{ prelude int }

func (t *slowBegin) Run(calls int64, _ int) ([]float64, error) {
	spin(time.Duration(t.prelude) * time.Millisecond)
	start := time.Now()
	spin(time.Duration(calls) * 25 * time.Microsecond)
	return []float64{float64(time.Since(start))}, nil
}

func (t *slowBegin) SetPrelude(calls int) { t.prelude = calls }

func (t *slowBegin) Close() {}

func spin(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}
