package driver

import (
	"fmt"
	"slices"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// oneLaunch is the note of results whose rounds share one launch.
const oneLaunch = "measured in one launch, since loading it takes long: " +
	"what differs from launch to launch is not in its interval"

// merge makes one result of the rounds of an invocation, which are in order. If the last round did not end well, its
// status counts, and the measurements before it are dropped.
func merge(rounds []invocations.Result, precision float64) invocations.Result {
	last := rounds[len(rounds)-1]
	if last.Status == invocations.OK && len(last.RoundsNS) > 0 {
		rounds[len(rounds)-1].Notes = append(slices.Clone(last.Notes), oneLaunch)
		last = rounds[len(rounds)-1]
	}
	if last.Status != invocations.OK || len(rounds) == 1 {
		last.Merged = len(rounds)
		return last
	}
	out := rounds[0]
	out.Merged, out.Stop = len(rounds), last.Stop
	out.SamplesNS, out.CPUSamplesNS, out.RoundsNS, out.Verdicts, out.Notes = nil, nil, nil, nil, nil
	out.Iterations, out.Discarded = 0, invocations.Discarded{Warmup: rounds[0].Discarded.Warmup}
	for _, r := range rounds {
		out.SamplesNS = append(out.SamplesNS, r.SamplesNS...)
		out.CPUSamplesNS = append(out.CPUSamplesNS, r.CPUSamplesNS...)
		out.RoundsNS = append(out.RoundsNS, r.RoundsNS...)
		out.Iterations += r.Iterations
		out.Discarded.Disturbed += r.Discarded.Disturbed
		out.MergedSamples = append(out.MergedSamples, len(r.SamplesNS))
		addNew(&out.Verdicts, r.Verdicts)
		addNew(&out.Notes, r.Notes)
	}
	out.Summary = stats.Summarize(out.SamplesNS, out.CPUSamplesNS)
	out.Profile = last.Profile // only the last round has it
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

// addNew appends the values of from that to does not hold.
func addNew[T comparable](to *[]T, from []T) {
	for _, v := range from {
		if !slices.Contains(*to, v) {
			*to = append(*to, v)
		}
	}
}

// addNote adds a note unless it is there already.
func addNote(notes *[]string, format string, args ...any) {
	addNew(notes, []string{fmt.Sprintf(format, args...)})
}
