package executor

import (
	"time"

	"zonemark/driver/stats"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// warmUpFixed warms up for rounds of a fixed number of calls: batches are single calls, so that each has its own time.
func (s *session) warmUpFixed(b budget) error {
	s.calls, s.batches = 1, 1
	if err := s.warmUp(b); err != nil {
		return err
	}
	if err := s.openEmpty(); err != nil || s.emptied == nil {
		return err
	}
	var ns []float64
	for range fewestEmpty {
		one, err := s.emptied.run(1, 1)
		if err != nil {
			return err
		}
		ns = append(ns, one...)
	}
	s.overhead = stats.Median(ns)
	return nil
}

// sampleFixed makes so many calls without a break between them. What is asked for is the time of all of them: none is set apart, and a round during which the
// thread lost its CPU is called contended.
func (s *session) sampleFixed(r *invocations.Result, iterations int64) error {
	before := platform.ThreadUsage()
	most := int64(groupMax)
	if s.call.MaxCallsPerBatch > 0 {
		most = min(most, s.call.MaxCallsPerBatch)
	}
	start := time.Now()
	for left := iterations; left > 0; {
		n := min(left, most)
		ns, err := s.timer.run(1, int(n))
		if err != nil {
			return err
		}
		for _, one := range ns {
			r.SamplesNS = append(r.SamplesNS, one-s.overhead)
		}
		s.settle()
		left -= n
	}
	r.RoundsNS = []float64{float64(time.Since(start))}
	s.pooled = append(s.pooled, r.SamplesNS...)
	if switches := platform.ThreadUsage().Involuntary - before.Involuntary; float64(switches) > contendedShare*float64(iterations) {
		r.Verdicts = append(r.Verdicts, invocations.Contended)
	}
	r.Stop, r.Iterations = invocations.StopIterations, iterations
	r.Discarded.Warmup = s.warmed
	return nil
}
