package executor

import (
	"slices"

	"zonemark/invocations"
)

const (
	contendedShare  = 0.1  // of wall over CPU time
	throttledFactor = 1.05 // of the dependent chain after over before
	cpuShort        = 0.8  // wall over CPU time: below it the CPU time is that of the clock reads around batches that are too short
)

// judge adds the verdicts that this launch justifies, Clean when there is none. Whether the function is told from an empty one, and how far the launches agree, only
// all launches say.
func (s *session) judge(r *invocations.Result) {
	add := func(v invocations.Verdict) {
		if !slices.Contains(r.Verdicts, v) {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	gross := r.Summary.MedianNS + s.overhead
	if cpu := r.Summary.CPUMedianNS; cpu > 0 && s.call.Entry != 0 && !s.call.Waits {
		if gross > (1+contendedShare)*cpu && !s.gaveUp {
			add(invocations.Contended)
		}
		if gross < cpuShort*cpu && !s.threads {
			add(invocations.TooShort)
		}
	}
	if r.PlannedNS > 0 || gross*float64(s.calls) < s.clock.ResolutionNS {
		add(invocations.TooShort)
	}
	if s.chainNS > 0 && s.clock.ChainNS() > throttledFactor*s.chainNS {
		add(invocations.Throttled)
	}
	if s.inv.Measure.Precision > 0 && r.Stop == invocations.StopMaxTime && !reached(s.pooled, s.inv.Measure.Precision) {
		add(invocations.NotConverged)
	}
	if len(r.Verdicts) == 0 {
		r.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}
