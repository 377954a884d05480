package executor

import (
	"slices"

	"zonemark/invocations"
)

const (
	contendedShare  = 0.1  // of discarded batches, and of wall over CPU time
	throttledFactor = 1.05 // of the dependent chain after over before
	shortestNetNS   = 1.0  // a call whose net time is below cannot be told from an empty one
)

// judge adds the verdicts that this round justifies, Clean when there is none.
func (s *session) judge(r *invocations.Result) {
	add := func(v invocations.Verdict) {
		if !slices.Contains(r.Verdicts, v) {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	kept := int64(len(r.SamplesNS))
	if float64(r.Discarded.Switched) > contendedShare*float64(kept+r.Discarded.Switched) {
		add(invocations.Contended)
	}
	if cpu := r.Summary.CPUMedianNS; cpu > 0 && s.call.Entry != 0 && !s.call.Waits && r.Summary.MedianNS+s.overhead > (1+contendedShare)*cpu {
		add(invocations.Contended)
	}
	if after := s.clock.ChainNS(); after > throttledFactor*s.chainNS {
		add(invocations.Throttled)
	}
	if r.Summary.MedianNS < shortestNetNS || r.Summary.MedianNS*float64(s.calls) < s.clock.ResolutionNS {
		add(invocations.TooShort)
	}
	if s.inv.Measure.Precision > 0 && r.Stop == "max-time" && !reached(s.pooled, s.inv.Measure.Precision) {
		add(invocations.NotConverged)
	}
	if len(r.Verdicts) == 0 {
		r.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}
