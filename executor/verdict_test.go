package executor

import (
	"slices"
	"testing"

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
		want []invocations.Verdict
	}{
		{"nothing wrong", func(*session, *invocations.Result) {}, []invocations.Verdict{invocations.Clean}},
		{"switched", func(_ *session, r *invocations.Result) { r.Discarded.Switched = 20 }, []invocations.Verdict{invocations.Contended}},
		{"waited", func(_ *session, r *invocations.Result) { r.Summary.CPUMedianNS = 800 }, []invocations.Verdict{invocations.Contended}},
		{"slower core", func(s *session, _ *invocations.Result) { s.chainNS = 1e-3 }, []invocations.Verdict{invocations.Throttled}},
		{"empty", func(_ *session, r *invocations.Result) { r.Summary.MedianNS = 0.4 }, []invocations.Verdict{invocations.TooShort}},
		{"spread", func(s *session, r *invocations.Result) { s.pooled, r.Stop = wide, "max-time" }, []invocations.Verdict{invocations.NotConverged}},
		{"out of time but known", func(s *session, r *invocations.Result) { r.Stop = "max-time" }, []invocations.Verdict{invocations.Clean}},
	} {
		s := &session{clock: clock, calls: 1000, pooled: steady, chainNS: 1e12, call: &Call{Entry: 1},
			inv: &invocations.Invocation{Measure: invocations.Measure{Precision: 0.01}}}
		r := &invocations.Result{SamplesNS: steady, Stop: "precision", Summary: invocations.Summarize(steady, steady)}
		c.edit(s, r)
		s.judge(r)
		if !slices.Equal(r.Verdicts, c.want) {
			t.Errorf("%s: %v, want %v", c.name, r.Verdicts, c.want)
		}
	}
}
