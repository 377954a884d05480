package combine

import (
	"fmt"
	"math"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

const (
	// wayError is the probability of saying that two kinds of launches differ if they do not.
	wayError = 0.01
	// leastWays launches can tell two halves of them apart with that probability.
	leastWays = 10
	// wayAsks is the fraction by which two halves of fewer launches differ, each launch of one from all of the other, if
	// further launches are to tell.
	wayAsks = 0.005
	// wayLeast is the fraction by which one kind of launches differs from the figure if the interval reaches it.
	wayLeast = 0.01
)

// ways are the kinds of launches, by their ways to call, that take different times. The zero value is one kind.
type ways struct {
	kinds  []int                     // of launches: the kind of each
	weight [invocations.Ways]float64 // of each kind: the number of ways that it has
	open   bool                      // it takes further launches to tell whether there are two
}

// waysOf finds the kinds of launches with these numbers and medians, by the Mann-Whitney test: whether every other launch
// takes another time than those between, and whether the first and the second half of either do.
func waysOf(numbers []int, medians []float64) (w ways) {
	if len(medians) == 0 || len(medians) != len(numbers) || slices.Min(medians) < leastPrecise {
		return w // of shorter times, no fraction matters
	}
	var byWay [invocations.Ways][]float64
	for i, number := range numbers {
		way := number % invocations.Ways
		byWay[way] = append(byWay[way], medians[i])
	}
	even, odd := slices.Concat(byWay[0], byWay[2]), slices.Concat(byWay[1], byWay[3])
	w.open = len(numbers) < leastWays && apart(even, odd)
	kindOf := [invocations.Ways]int{0, 1, 0, 1}
	evenDiffer, oddDiffer := differ(byWay[0], byWay[2]), differ(byWay[1], byWay[3])
	if !evenDiffer && !oddDiffer && !differ(even, odd) {
		return w
	}
	if evenDiffer {
		kindOf[2] = 2
	}
	if oddDiffer {
		kindOf[3] = 3
	}
	for _, number := range numbers {
		w.kinds = append(w.kinds, kindOf[number%invocations.Ways])
	}
	for way, kind := range kindOf {
		if len(byWay[way]) > 0 { // those of the others were all disturbed
			w.weight[kind]++
		}
	}
	return w
}

// differ reports whether two kinds of launches do, which both exist.
func differ(a, b []float64) bool {
	return len(a) > 0 && len(b) > 0 && stats.MannWhitney(a, b) < wayError
}

// apart reports whether each launch of one kind is slower than all of another, and by how much it matters.
func apart(a, b []float64) bool {
	if len(a) < 2 || len(b) < 2 {
		return false
	}
	if slices.Min(a) > slices.Min(b) {
		a, b = b, a
	}
	return slices.Max(a) < slices.Min(b) && stats.Median(a) < (1-wayAsks)*stats.Median(b)
}

// medians returns the median of each kind, and what calls take in all ways on average. There are values of as many
// launches as there are kinds; w is not the zero value.
func (w ways) medians(values []float64) (kinds map[int]float64, middle float64) {
	of := map[int][]float64{}
	for i, kind := range w.kinds {
		of[kind] = append(of[kind], values[i])
	}
	kinds = map[int]float64{}
	all := 0.0
	for kind, list := range of {
		kinds[kind] = stats.Median(list)
		middle += w.weight[kind] * kinds[kind]
		all += w.weight[kind]
	}
	return kinds, middle / all
}

// split reports whether launches with these values are of several kinds.
func (w ways) split(values []float64) bool { return w.kinds != nil && len(w.kinds) == len(values) }

// factors returns what launches with these values are multiplied by to take away what their kinds do to them; nil:
// nothing.
func (w ways) factors(values []float64) (list []float64) {
	if !w.split(values) {
		return nil
	}
	kinds, middle := w.medians(values)
	for _, kind := range w.kinds {
		list = append(list, middle/kinds[kind])
	}
	return list
}

// evened returns the values of launches without what their kinds do to them: they scatter around the mean of the ways.
func (w ways) evened(values []float64) []float64 {
	list := slices.Clone(values)
	for i, factor := range w.factors(values) {
		list[i] *= factor
	}
	return list
}

// interval returns the interval of the launches' figure: their median or, where kinds differ, the mean over the ways of
// the medians of launches of the same kind. By medians alone, it is the time of either kind, by chance.
func (w ways) interval(values []float64) stats.Interval {
	i := stats.LaunchInterval(w.evened(values))
	if w.split(values) {
		kinds, middle := w.medians(values)
		n := float64(len(values))
		half := i.Half() * math.Sqrt((n-1)/(n-float64(len(kinds))))
		i = stats.Interval{Value: middle, Low: middle - half, High: middle + half}
	}
	return i
}

// reached returns an interval that reaches the times of all kinds, if one differs so much from the figure that it
// matters: a program makes its calls in one way.
func (w ways) reached(i stats.Interval, values []float64) stats.Interval {
	if low, high := w.ends(values); low > 0 {
		i.Low, i.High = min(i.Low, low), max(i.High, high)
	}
	return i
}

// ends returns the least and the greatest median of a kind, if one differs so much from the figure that it matters; else
// 0.
func (w ways) ends(values []float64) (low, high float64) {
	if !w.split(values) {
		return 0, 0
	}
	kinds, middle := w.medians(values)
	low, high = middle, middle
	for _, ns := range kinds {
		low, high = min(low, ns), max(high, ns)
	}
	if low > middle*(1-wayLeast) && high < middle*(1+wayLeast) {
		return 0, 0
	}
	return low, high
}

// note says that the time depends on the way so much that it matters, "" if it does not; clock says by which clock the
// values are, with a blank before it.
func (w ways) note(values []float64, clock string) string {
	low, high := w.ends(values)
	if low == 0 {
		return ""
	}
	return fmt.Sprintf("its time depends on the instructions before its call, of which launches have %d kinds in turn: it "+
		"takes %s%s with some, and %s with others; a program has one kind, so the interval reaches both", invocations.Ways,
		figures.Time(low), clock, figures.Time(high))
}
