package stats

import (
	"math"
	"slices"
)

const (
	leastPairs = 6
	firstLook  = 10 // pairs: the fewest that can be significant at a fifth of 1 %
	mostLooks  = 5
	lookGrowth = 3 // each look has so many times the pairs of the one before
)

// Sequential compares two things that are measured in pairs, and looks at the pairs now and then, so that it can stop
// as soon as they tell enough. Looking several times gives chance several tries. Therefore each of five looks spends a
// fifth of every level (Bonferroni's correction, which assumes nothing about how looks depend on each other): P is
// valid whenever one stops, and the intervals of all looks together hold with their confidence. When there is no time
// for more looks, the last one gets the unused part of each level, less one fifth, but at least one fifth.
type Sequential struct {
	looks int
	p     float64 // least of all looks, corrected
}

// Wanted reports whether the next look is due after so many pairs: 10, 30, 90, 270, 810.
func (s *Sequential) Wanted(pairs int) bool {
	due := firstLook
	for range s.looks {
		due *= lookGrowth
	}
	return !s.Over() && pairs >= due
}

// Over reports whether no looks are left.
func (s *Sequential) Over() bool { return s.looks >= mostLooks }

// Look judges pairs by the logarithms of their ratios, new to old: one for each pair, or one for each turn within it. The
// ratios of a pair must change their signs if its sides change places, and be distributed evenly around zero if both are
// as fast, which holds if the order within each pair is random. The test is SymmetryTest, and intervals hold the
// ratios that it does not reject. last says that no further look follows; it must not depend on the pairs. With fewer than six pairs
// nothing is known, and the look costs nothing.
func (s *Sequential) Look(pairs [][]float64, last bool) Difference {
	if len(pairs) < leastPairs || s.Over() {
		return Difference{
			Ratio: math.Exp(Median(slices.Concat(pairs...))), High: math.Inf(1), SameHigh: math.Inf(1), P: math.NaN(),
			Detectable: math.NaN(),
		}
	}
	share := 1.0 / mostLooks
	if last {
		share = max(1, mostLooks-1-float64(s.looks)) / mostLooks
	}
	d := paired(pairs, share)
	if p := min(1, d.P/share); s.looks == 0 || p < s.p {
		s.p = p
	}
	s.looks++
	d.P = s.p
	return d
}

// paired compares by pairs, with the share that a look has of the levels.
func paired(pairs [][]float64, share float64) Difference {
	s := newSymmetry(pairs)
	center, standard := s.center()
	d := Difference{logRatio: center, Ratio: math.Exp(center), standard: standard, freedom: len(pairs) - 1}
	d.P = s.around(0)
	low, high := s.interval(center, standard, 2*(1-upper95)*share)
	d.Low, d.High = math.Exp(low), math.Exp(high)
	d.Detectable = math.Expm1((high-low)/2 + studentQuantile(0.8, d.freedom)*d.standard)
	low, high = s.interval(center, standard, 2*0.05*share)
	d.SameLow, d.SameHigh = math.Exp(low), math.Exp(high)
	return d
}

// PairsHalf returns about half the width of the interval that a look gives the logarithm of the ratio; +Inf with too
// few pairs.
func PairsHalf(pairs [][]float64) float64 {
	if len(pairs) < leastPairs {
		return math.Inf(1)
	}
	_, standard := newSymmetry(pairs).center()
	return studentQuantile(1-(1-upper95)/mostLooks, len(pairs)-1) * standard
}
