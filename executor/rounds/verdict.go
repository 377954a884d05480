package rounds

import "zonemark/invocations"

const (
	contendedShare  = 0.1  // wall time above CPU time, as a share of CPU time
	throttledFactor = 1.05 // time of the dependent chain afterwards, divided by the time before
	// cpuShort is a bound for wall time divided by CPU time. Below it, the CPU time is that of the clock reads around
	// batches that are too short.
	cpuShort = 0.8
	// shortResolution is the least length of a batch that is shorter than planned, in steps of the clock.
	shortResolution = 100
)

// addVerdicts adds the verdicts that this launch justifies, or Clean if there are none. Only all launches together show
// whether the function differs from an empty one, and how far the launches agree.
func (s *Session) addVerdicts(r *invocations.Result) {
	gross := r.Summary.MedianNS + s.overhead
	if use, ok := s.watch.use.(*threadUse); ok && use.tells {
		for _, v := range use.verdicts(gross, r.Summary.CPUMedianNS, s.watch.threads.others) {
			r.AddVerdict(v)
		}
	}
	if shortBatch(gross*float64(s.calls), r.PlannedNS > 0, s.clock.ResolutionNS) {
		r.AddVerdict(invocations.TooShort)
	}
	if s.watch.speed.slower(s.clock) {
		r.AddVerdict(invocations.Throttled)
	}
	if s.inv.Measure.Precision > 0 && r.Stop == invocations.StopMaxTime && !reached(s.pooled.Kept, s.inv.Measure.Precision) {
		r.AddVerdict(invocations.NotConverged)
	}
	if len(r.Verdicts) == 0 {
		r.Verdicts = []invocations.Verdict{invocations.Clean}
	}
}

// shortBatch reports whether batches of this length are too short for a clock. short says that they are shorter than
// planned: their calls vary too much, and only if the clock's step is more than 1 % of a batch, the calls are short.
func shortBatch(ns float64, short bool, resolutionNS float64) bool {
	return ns < resolutionNS || short && ns < shortResolution*resolutionNS
}
