package executor

import (
	"slices"
	"testing"

	"zonemark/driver/stats"
	"zonemark/executor/native"
	"zonemark/invocations"
)

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
		edit func(*session, *invocations.Result)
		want invocations.Verdict
	}{
		{"nothing wrong", func(*session, *invocations.Result) {}, invocations.Clean},
		{"off its CPU", func(_ *session, r *invocations.Result) {
			r.Summary.CPUMedianNS = 800
		}, invocations.Contended},
		{"waits by itself", func(s *session, r *invocations.Result) {
			r.Summary.CPUMedianNS, s.gaveUp = 800, true
		}, invocations.Clean},
		{"waits for a device", func(s *session, r *invocations.Result) {
			s.call.Waits, r.Summary.CPUMedianNS = true, 1.35
		}, invocations.Clean},
		{"called by Go, waits", func(s *session, r *invocations.Result) {
			s.call.Entry, r.Summary.CPUMedianNS = 0, 1.35
		}, invocations.Clean},
		{"less time than the thread used", func(_ *session, r *invocations.Result) {
			r.Summary.CPUMedianNS = 20_000
		}, invocations.TooShort},
		{"slower core", func(s *session, _ *invocations.Result) { s.chainNS = 1e-3 }, invocations.Throttled},
		{"batches shorter than planned", func(_ *session, r *invocations.Result) {
			r.PlannedNS = batchTarget
		}, invocations.TooShort},
		{"below what the clock tells", func(s *session, _ *invocations.Result) {
			s.clock.ResolutionNS = 2e6
		}, invocations.TooShort},
		{"spread", func(s *session, r *invocations.Result) {
			s.pooled, r.Stop = nil, "max-time"
			s.pool(wide)
		}, invocations.NotConverged},
		{"out of time but known", func(s *session, r *invocations.Result) { r.Stop = "max-time" }, invocations.Clean},
	} {
		s := &session{clock: clock, calls: 1000, call: &Call{Entry: 1},
			inv: &invocations.Invocation{Measure: invocations.Measure{Precision: 0.01}}}
		r := &invocations.Result{SamplesNS: steady, Stop: "precision", Summary: stats.Summarize(steady, steady)}
		s.pool(steady)
		c.edit(s, r)
		s.judge(r)
		if !slices.Equal(r.Verdicts, []invocations.Verdict{c.want}) {
			t.Errorf("%s: %v, want %s", c.name, r.Verdicts, c.want)
		}
	}
}
