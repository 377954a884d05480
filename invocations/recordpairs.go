package invocations

import (
	"slices"

	"zonemark/invocations/stats"
)

// LaunchFigure is a figure of launches by which results are compared launch by launch.
type LaunchFigure int

// The figures, the best first.
const (
	CountedCycles  LaunchFigure = iota
	ReferenceTimes              // at the machine's usual clock
	WallTimes
)

// Of returns the figures of the launches of a result, at the positions of their numbers.
func (f LaunchFigure) Of(r *RecordedLaunches) []float64 {
	return r.ByLaunch([...][]float64{r.LaunchCycles, r.LaunchReference, r.LaunchMediansNS}[f])
}

// ComparedLaunches returns the best figure that the launches of all results have and by which they can be compared; see
// stats.Comparable. It reports whether there is one.
func ComparedLaunches(results []*RecordedLaunches) (figure LaunchFigure, known bool) {
	clocks := make([]stats.Clocks, len(results))
	for i, r := range results {
		clocks[i] = r.Clocks()
	}
	cycles, reference := stats.Comparable(clocks...)
	for _, c := range []struct {
		figure LaunchFigure
		counts bool
	}{{CountedCycles, cycles}, {ReferenceTimes, reference}, {WallTimes, true}} {
		lacking := func(r *RecordedLaunches) bool { return len(c.figure.Of(r)) == 0 }
		if c.counts && !slices.ContainsFunc(results, lacking) {
			return c.figure, true
		}
	}
	return WallTimes, false
}
