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

const (
	// mostReferenceScatter is how far times at the reference clock may scatter in turns, as a multiple of wall times.
	mostReferenceScatter = 0.5
	// mostReferenceBias is how far apart, as a fraction, the corrections of two results may be, beside their scatter.
	// Neighbours change the clock of all that take turns. Else what is taken for a function's own clock is off, in all
	// launches alike.
	mostReferenceBias = 0.01
	// leastScatter is a scatter, as a fraction, that harms no comparison.
	leastScatter = 0.001
)

// ComparedLaunches returns the figure by which the launches of all results are compared, which all of them have:
// counted cycles or times at the reference clock if results can be compared by these (see stats.Comparable), else wall
// times. The launches took turns, so wall times are right on average, and count unless times at the reference clock
// scatter much less. It reports whether there is a figure.
func ComparedLaunches(results []*RecordedLaunches) (figure LaunchFigure, known bool) {
	cycles, reference := clockFigures(results)
	if reference {
		asTime, atClock := figuresOf(WallTimes, results), figuresOf(ReferenceTimes, results)
		corrections := quotients(asTime, atClock)
		reference = stats.BiasInTurns(corrections) <= mostReferenceBias+stats.ScatterInTurns(corrections) &&
			stats.ScatterInTurns(atClock) <= mostReferenceScatter*stats.ScatterInTurns(asTime)+leastScatter
	}
	switch {
	case cycles:
		return CountedCycles, true
	case reference:
		return ReferenceTimes, true
	}
	return WallTimes, allHave(WallTimes, results)
}

// ComparedApart is ComparedLaunches of launches that did not take turns: wall times do not count, since the clock may
// have been another one. Nor do times at different reference clocks.
func ComparedApart(results []*RecordedLaunches) (figure LaunchFigure, known bool) {
	cycles, reference := clockFigures(results)
	if cycles {
		return CountedCycles, true
	}
	return ReferenceTimes, reference && !slices.ContainsFunc(results, func(r *RecordedLaunches) bool {
		return r.ReferenceAt == nil || *r.ReferenceAt != *results[0].ReferenceAt
	})
}

// clockFigures reports which figures that follow the core's clock all results have, and can be compared by.
func clockFigures(results []*RecordedLaunches) (cycles, reference bool) {
	clocks := make([]stats.Clocks, len(results))
	for i, r := range results {
		clocks[i] = r.Clocks()
	}
	cycles, reference = stats.Comparable(clocks...)
	return cycles && allHave(CountedCycles, results), reference && allHave(ReferenceTimes, results)
}

func allHave(f LaunchFigure, results []*RecordedLaunches) bool {
	return !slices.ContainsFunc(results, func(r *RecordedLaunches) bool { return len(f.Of(r)) == 0 })
}

func figuresOf(f LaunchFigure, results []*RecordedLaunches) [][]float64 {
	all := make([][]float64, len(results))
	for i, r := range results {
		all[i] = f.Of(r)
	}
	return all
}

// quotients divides figures of launches by others.
func quotients(all, by [][]float64) [][]float64 {
	list := make([][]float64, len(all))
	for i, row := range all {
		for n := range min(len(row), len(by[i])) {
			list[i] = append(list[i], row[n]/by[i][n])
		}
	}
	return list
}
