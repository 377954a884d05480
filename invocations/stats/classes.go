package stats

import (
	"math"
	"slices"
)

// Classes are two groups into which launches fall.
type Classes struct {
	LowNS, HighNS float64 // median of the launches of each
	Low, High     int     // number of launches of each
}

const (
	leastOfClass  = 2    // launches: a single one that is off is an accident
	classDistance = 0.02 // least relative distance of two classes
	classGap      = 4    // gap between the classes as a multiple of the widest gap inside them
)

// TwoClasses reports whether the launches' medians fall into two classes with nothing between them: the greatest gap
// has at least two launches on each side, is wider than the gaps inside the classes, and matters.
func TwoClasses(medians []float64) (Classes, bool) {
	x := slices.Sorted(slices.Values(medians))
	at, gap := 0, 0.0
	for i := leastOfClass; i <= len(x)-leastOfClass; i++ {
		if g := x[i] - x[i-1]; g > gap {
			at, gap = i, g
		}
	}
	if at == 0 {
		return Classes{}, false
	}
	low, high := x[:at], x[at:]
	c := Classes{LowNS: Quantile(low, 0.5), HighNS: Quantile(high, 0.5), Low: len(low), High: len(high)}
	widest := max(widestGap(low), widestGap(high))
	return c, c.HighNS-c.LowNS > classDistance*math.Abs(c.LowNS) && gap > classGap*widest
}

// widestGap returns the greatest distance of neighbours in sorted x.
func widestGap(x []float64) float64 {
	most := 0.0
	for i := 1; i < len(x); i++ {
		most = max(most, x[i]-x[i-1])
	}
	return most
}
