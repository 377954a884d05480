package combine

import (
	"fmt"
	"math"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

const (
	courseLaunches = 3   // at least, all of which must show a drift
	courseFactor   = 1.2 // by which calls drift; launches on a busy machine differ by less
	earlyFactor    = 2   // the same of the first batches, whose clock may have been another one
)

// courseNotes say how the time of calls changes in the course of a launch. What a call leaves outside of its arguments,
// such as static data, is not restored: a time then holds of calls that find what many calls before them have left.
func courseNotes(out *invocations.Result, kept []invocations.Result) (notes []string) {
	if out.LongFirst() {
		notes = append(notes, fmt.Sprintf("the first call of a launch takes %s of CPU time: the time is that of later calls, "+
			"which find what earlier ones have left and nobody restores, such as static data, memory that they keep, or "+
			"branches that the processor has learned", figures.Time(out.FirstNS)))
	}
	if len(kept) < courseLaunches || out.Stop == invocations.StopIterations {
		return notes
	}
	if change := common(kept, changeOf, earlyFactor); change > 0 {
		notes = append(notes, fmt.Sprintf("calls take %s at the begin of a launch, and later ones, whose time this is, %.2g "+
			"times as long: what calls leave behind, or the time that passes, changes them",
			figures.Time(out.EarlyNS-out.OverheadNS), change))
	}
	if drift := common(kept, driftOf, courseFactor); drift > 0 {
		notes = append(notes, fmt.Sprintf("calls at the end of a launch take %.2g times as long as at its begin: the time "+
			"depends on how many calls are made, since each finds what those before have left", drift))
	}
	return notes
}

// changeOf returns how many times as long calls of a launch take as those of its first batches.
func changeOf(r *invocations.Result) float64 {
	return stats.Ratio(r.Summary.MedianNS+r.OverheadNS, r.EarlyNS)
}

// driftOf returns the drift of a launch.
func driftOf(r *invocations.Result) float64 { return stats.Drift(r.SamplesNS) }

// common returns the factor of the launch that shows least; 0 if that is less than what matters.
func common(kept []invocations.Result, of func(*invocations.Result) float64, matters float64) float64 {
	var factors []float64
	for i := range kept {
		factors = append(factors, of(&kept[i]))
	}
	if f := stats.Common(factors); math.Abs(math.Log(f)) > math.Log(matters) {
		return f
	}
	return 0
}
