package combine

import (
	"fmt"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

const (
	wayLeast = 0.01 // fraction by which launches of one way must differ from the others to matter
	wayError = 0.01 // probability of a statement if ways do nothing
)

// ways are the medians of the launches that make their calls in the fastest way, and in the slowest one, in nanoseconds;
// 0 if nothing is known to depend on that.
type ways struct{ low, high float64 }

// waysOf finds out whether launches with some instructions before their calls take another time than those with others,
// by the Mann-Whitney test. Each launch has a number and a median; without a median for each it finds nothing.
func waysOf(numbers []int, medians []float64) (w ways) {
	if len(numbers) != len(medians) {
		return w
	}
	for way := range invocations.Ways {
		var of, others []float64
		for i, number := range numbers {
			if number%invocations.Ways == way {
				of = append(of, medians[i])
			} else {
				others = append(others, medians[i])
			}
		}
		if len(of) == 0 || len(others) == 0 || stats.MannWhitney(of, others) >= wayError/invocations.Ways {
			continue
		}
		if here, there := stats.Median(of), stats.Median(others); here < there*(1-wayLeast) || here > there*(1+wayLeast) {
			w = w.with(here).with(there)
		}
	}
	return w
}

// with returns ways of which one takes so long.
func (w ways) with(ns float64) ways {
	if w == (ways{}) {
		return ways{ns, ns}
	}
	return ways{min(w.low, ns), max(w.high, ns)}
}

// reached returns an interval that reaches the times of all ways: a program makes its calls in one of them.
func (w ways) reached(i stats.Interval) stats.Interval {
	if w != (ways{}) {
		i.Low, i.High = min(i.Low, w.low), max(i.High, w.high)
	}
	return i
}

// note says that the time depends on the way, "" if it does not; clock says by which clock it is, with a blank before it.
func (w ways) note(clock string) string {
	if w == (ways{}) {
		return ""
	}
	return fmt.Sprintf("its time depends on the instructions before its call, of which launches have %d kinds in turn: it "+
		"takes %s%s with some, and %s with others; a program has one kind, so the interval reaches both", invocations.Ways,
		figures.Time(w.low), clock, figures.Time(w.high))
}
