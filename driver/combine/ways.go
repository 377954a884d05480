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
)

// ways are the kinds of launches, by their ways to call, that take different times. The zero value is one kind.
type ways struct {
	kinds []int                 // of launches: the kind of each, from 0
	count [invocations.Ways]int // of each kind: the number of ways that it has; 0: there is no such kind
	open  bool                  // it takes further launches to tell whether there are two
}

// waysOf finds the kinds of launches with these numbers and medians, by the Mann-Whitney test: whether every other
// launch takes another time than those between, and whether the first and the second half of either do.
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
			w.count[kind]++
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
	return slices.Max(a) < slices.Min(b) && stats.Median(a) < (1-asksFurther)*stats.Median(b)
}

// split returns what calls take in all ways on average, and in those of the kind of each launch, by the medians of
// kinds. It returns false if launches with these values are of one kind.
func (w ways) split(values []float64) (middle float64, own []float64, several bool) {
	if w.kinds == nil || len(w.kinds) != len(values) {
		return 0, nil, false
	}
	var of [invocations.Ways][]float64
	for i, kind := range w.kinds {
		of[kind] = append(of[kind], values[i])
	}
	var medians [invocations.Ways]float64
	sum, ways := 0.0, 0
	for kind, count := range w.count {
		if count > 0 {
			medians[kind] = stats.Median(of[kind])
			sum, ways = sum+float64(count)*medians[kind], ways+count
		}
	}
	for _, kind := range w.kinds {
		own = append(own, medians[kind])
	}
	return sum / float64(ways), own, true
}

// factors returns what launches with these values are multiplied by to take away what their kinds do to them; nil:
// nothing.
func (w ways) factors(values []float64) (list []float64) {
	middle, own, _ := w.split(values)
	for _, ns := range own {
		list = append(list, middle/ns)
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
	middle, _, several := w.split(values)
	if !several {
		return i
	}
	kinds := 0
	for _, count := range w.count {
		kinds += min(1, count)
	}
	n := len(values)
	half := i.Half() * math.Sqrt(float64(n-1)/float64(n-kinds)) // each kind's median has taken its part of the scatter
	return stats.Interval{Value: middle, Low: middle - half, High: middle + half}
}

// note says that the headline depends on the way by so much, "" if it does not; clock says by which clock it is, with a
// blank before it.
func (w ways) note(headline float64, launches odds, clock string) string {
	if w.kinds == nil || launches.most() < leastOddLaunch {
		return ""
	}
	return fmt.Sprintf("its time depends on the instructions before its call, of which launches have %d kinds in turn: it "+
		"takes %s%s with some, and %s with others; a program has one kind, so the interval reaches both", invocations.Ways,
		figures.Time(headline*(1-launches.less)), clock, figures.Time(headline*(1+launches.more)))
}
