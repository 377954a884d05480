package combine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/invocations/stats"
)

const (
	// oddLaunchShare is the share of the launches, leastOddLaunches at least, that are a state of its own if they are
	// slower than the figure by fineOddLaunch or more, as a fraction, or faster. From leastOddLaunch on, a row says so.
	oddLaunchShare   = 1.0 / 8
	leastOddLaunches = 2
	fineOddLaunch    = 0.0025
	leastOddLaunch   = 0.01
	// manyLaunches show how many are odd: of fewer, two may be so by chance, or most.
	manyLaunches = leastOddLaunches / oddLaunchShare
	// asksFurther is the fraction by which launches differ if further ones are to tell whether that is chance.
	asksFurther = 0.005
	// loneLaunches tell whether a single one that is off is alone, or the first of some.
	loneLaunches = stats.LeastOutliers
	// loneFactor is how many times as far as all others it is off.
	loneFactor = 4
)

// odds are by which fractions the fast ones of a row take less than the figure, and the slow ones more; 0: by little.
type odds struct{ less, more float64 }

// oddLaunches returns how far launches with these medians differ from their figure: by the median of those that are
// faster, and of those that are slower. Launches differ in where code and data lie, in the instructions before the call,
// and in what the processor has learned. A program is like one of them, and not like their figure.
func oddLaunches(medians []float64, figure float64) (o odds) {
	if figure < leastPrecise {
		return o // of shorter times, no fraction matters
	}
	var faster, slower []float64 // than the figure, by these fractions
	for _, ns := range medians {
		off := ns/figure - 1
		faster, slower = append(faster, -off), append(slower, off)
	}
	return odds{less: oddSide(faster), more: oddSide(slower)}
}

// oddSide returns the median of the fractions of odd launches: of those by which it matters if they are enough, else of
// those that show; 0 if they are too few. Negative fractions are those of launches on the other side.
func oddSide(fractions []float64) float64 {
	least := max(leastOddLaunches, oddLaunchShare*float64(len(fractions)))
	for _, limit := range []float64{leastOddLaunch, fineOddLaunch} {
		var far []float64
		for _, off := range fractions {
			if off >= limit {
				far = append(far, off)
			}
		}
		if float64(len(far)) >= least {
			return stats.Median(far)
		}
	}
	return 0
}

// lone reports whether a single one of launches with these medians is off their figure by what matters, and all others are
// near it.
func lone(medians []float64, figure float64) bool {
	if figure < leastPrecise {
		return false
	}
	var off []float64
	for _, ns := range medians {
		off = append(off, math.Abs(ns/figure-1))
	}
	slices.Sort(off)
	n := len(off)
	return n > 1 && off[n-1] >= fineOddLaunch && off[n-1] >= loneFactor*off[n-2]
}

// most returns the larger one of both fractions.
func (o odds) most() float64 { return max(o.less, o.more) }

// apart returns how far the slow ones are from the fast ones. The figure of as many of both lies between them.
func (o odds) apart() float64 { return o.less + o.more }

// reached returns an interval that reaches the times of the fast ones and of the slow ones.
func (o odds) reached(i stats.Interval) stats.Interval {
	i.Low, i.High = min(i.Low, i.Value*(1-o.less)), max(i.High, i.Value*(1+o.more))
	return i
}

// noteOfLaunches says that launches differ.
func (o odds) noteOfLaunches() string {
	return fmt.Sprintf("the middle of its launches is known better, but %s: where code and data lie, or what earlier calls "+
		"leave in the processor, decides about it, and a program may be like those", o.parts("an eighth of them or more takes"))
}

// noteOfBatches says that batches differ.
func (o odds) noteOfBatches() string {
	return fmt.Sprintf("its launches agree, but batches that nobody disturbed differ: %s than the middle one. "+
		"What earlier calls leave in the processor, such as predictions of branches, decides about it, and other callers may "+
		"find something else", o.parts("one in twenty takes"))
}

// parts says by how much some take less, and some more.
func (o odds) parts(some string) string {
	var parts []string
	for _, side := range []struct {
		by   float64
		word string
	}{{o.less, "less"}, {o.more, "more"}} {
		if side.by > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2g %% %s", some, 100*side.by, side.word))
		}
	}
	return strings.Join(parts, ", ")
}
