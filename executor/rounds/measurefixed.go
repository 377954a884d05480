package rounds

import (
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// warmUpFixed warms up for rounds of a fixed number of calls. A batch is a single call, so that each call has its own
// time.
func (s *Session) warmUpFixed(b budget) error {
	s.calls, s.batches = 1, 1
	if err := s.warmUp(b); err != nil {
		return err
	}
	if err := s.openEmpty(); err != nil || s.emptied == nil {
		return err
	}
	var ns []float64
	for range fewestEmpty {
		one, err := s.emptied.Run(1, 1)
		if err != nil {
			return err
		}
		ns = append(ns, one...)
	}
	s.overhead = stats.Median(ns)
	return nil
}

// sampleFixed makes this many calls without a break between them. The user asks for the time of all of them, so none is
// discarded, and no probe runs between them; a round during which other work took the CPU gets the verdict Contended.
func (s *Session) sampleFixed(r *invocations.Result, iterations int64) error {
	around := s.instruments.around
	before, competed := around.usage(), around.contention()
	most := int64(maxGroup)
	if bound := s.call.Work.MostCalls(); bound > 0 {
		most = min(most, bound)
	}
	samples := stats.NewThinned[float64](mostFixed)
	start, gross := around.now(), 0.0
	for left := iterations; left > 0; {
		n := min(left, most)
		ns, err := s.timer.Run(1, int(n))
		if err != nil {
			return err
		}
		gross += sumOf(ns)
		for _, one := range ns {
			samples.Add(one - s.overhead)
		}
		s.call.Settle()
		left -= n
	}
	r.RoundsNS = []float64{float64(around.now().Sub(start))}
	if s.ring() != nil { // restoring took part of that
		r.RoundsNS[0] = gross
	}
	r.SamplesNS = samples.Kept
	noteThinned(r, samples.Block, "calls", iterations)
	s.pool(r.SamplesNS)
	switches := around.usage().Involuntary - before.Involuntary
	r.Canary = invocations.Canary{Batches: iterations, Quiet: iterations}
	if float64(switches) > contendedShare*float64(iterations) ||
		around.contention().KeptWaiting(competed, r.RoundsNS[0]) {
		r.AddVerdict(invocations.Contended)
		r.Canary.Quiet, r.Canary.Interrupted = 0, iterations
	}
	r.Stop, r.Iterations = invocations.StopIterations, iterations
	r.Discarded.Warmup = s.warmed
	return nil
}
