package driver

import (
	"slices"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// oneLaunch is what rounds of a fixed number of calls could afford.
const oneLaunch = "measured in one launch, since loading it takes long: what differs from launch to launch is not in its interval"

// merge makes one result of the rounds of an invocation, in order. A round that did not end well decides the status, and what was measured
// before it is not shown as a measurement.
func merge(rounds []invocations.Result, precision float64) invocations.Result {
	last := rounds[len(rounds)-1]
	if last.Status == invocations.OK && len(last.RoundsNS) > 0 {
		rounds[len(rounds)-1].Notes = append(slices.Clone(last.Notes), oneLaunch)
		last = rounds[len(rounds)-1]
	}
	if last.Status != invocations.OK || len(rounds) == 1 {
		last.Rounds = len(rounds)
		return last
	}
	out := rounds[0]
	out.Rounds, out.Stop = len(rounds), last.Stop
	out.SamplesNS, out.CPUSamplesNS, out.RoundsNS, out.Verdicts, out.Notes = nil, nil, nil, nil, nil
	out.Iterations, out.Discarded = 0, invocations.Discarded{Warmup: rounds[0].Discarded.Warmup}
	for _, r := range rounds {
		out.SamplesNS = append(out.SamplesNS, r.SamplesNS...)
		out.CPUSamplesNS = append(out.CPUSamplesNS, r.CPUSamplesNS...)
		out.RoundsNS = append(out.RoundsNS, r.RoundsNS...)
		out.Iterations += r.Iterations
		out.Discarded.Switched += r.Discarded.Switched
		out.RoundSamples = append(out.RoundSamples, len(r.SamplesNS))
		addNew(&out.Verdicts, r.Verdicts)
		addNew(&out.Notes, r.Notes)
	}
	out.Summary = stats.Summarize(out.SamplesNS, out.CPUSamplesNS)
	out.Profile = last.Profile // of the last round only
	// Convergence is judged on everything together.
	drop := func(v invocations.Verdict) bool { return v == invocations.NotConverged || v == invocations.Clean }
	out.Verdicts = slices.DeleteFunc(out.Verdicts, drop)
	if precision > 0 && !out.Summary.Within(precision) {
		out.Verdicts = append(out.Verdicts, invocations.NotConverged)
	} else if precision > 0 {
		out.Stop = invocations.StopPrecision
	}
	if len(out.Verdicts) == 0 {
		out.Verdicts = []invocations.Verdict{invocations.Clean}
	}
	return out
}

func addNew[T comparable](to *[]T, from []T) {
	for _, v := range from {
		if !slices.Contains(*to, v) {
			*to = append(*to, v)
		}
	}
}
