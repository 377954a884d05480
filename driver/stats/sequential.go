package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	leastPairs = 6
	firstLook  = 10 // pairs: the fewest that can be significant at a fifth of 1 %
	mostLooks  = 5
	lookGrowth = 3 // each look has so many times the pairs of the one before

	leastStudent = 24 // values that have Student's test; see SymmetryTest
	mostFlips    = 1 << 14
	clipAt       = 2
)

// Sequential compares two things that are measured in pairs, and looks at the pairs now and then, so that it can stop
// as soon as they tell enough. Looking several times gives chance several tries. Therefore each of five looks spends a
// fifth of every level (Bonferroni's correction, which assumes nothing about how looks depend on each other): P is
// valid whenever one stops, and the intervals of all looks together hold with their confidence. When there is no time
// for more looks, P of the last one spends what is left of its level, but for a fifth, as Student's test approximates.
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

// Look judges the logarithms of the ratios of pairs, new to old. They must be distributed evenly around zero if both
// are as fast, which holds if the order within each pair is random. The test is SymmetryTest, and intervals are Yuen's
// (see TrimmedTest). last says that no further look follows; it must not depend on the pairs. With fewer than six pairs
// nothing is known, and the look costs nothing.
func (s *Sequential) Look(logRatios []float64, last bool) Difference {
	if len(logRatios) < leastPairs || s.Over() {
		return Difference{
			Ratio: math.Exp(Median(logRatios)), High: math.Inf(1), SameHigh: math.Inf(1), P: math.NaN(),
			Detectable: math.NaN(),
		}
	}
	share := 1.0 / mostLooks
	if last {
		share = max(1, mostLooks-1-float64(s.looks)) / mostLooks
	}
	d := paired(logRatios)
	if p := min(1, d.P/share); s.looks == 0 || p < s.p {
		s.p = p
	}
	s.looks++
	d.P = s.p
	return d
}

// paired compares by pairs, with the levels of one look.
func paired(logRatios []float64) Difference {
	x := slices.Sorted(slices.Values(logRatios))
	mean, variance, kept := trimmedMean(x)
	d := Difference{logRatio: mean, Ratio: math.Exp(mean), standard: math.Sqrt(variance), freedom: kept - 1}
	d.P = SymmetryTest(x)
	d.Low, d.High = d.interval(1 - (1-upper95)/mostLooks)
	d.SameLow, d.SameHigh = d.interval(1 - 0.05/mostLooks)
	d.Detectable = math.Expm1((studentQuantile(1-(1-upper95)/mostLooks, d.freedom) +
		studentQuantile(0.8, d.freedom)) * d.standard)
	return d
}

// SymmetryTest returns the two-sided p-value of "d is distributed evenly around zero". Values beyond twice the
// median of the absolute values count as that much, so that wild ones count little. With few values, their mean is
// compared with those of all ways to change their signs, or of some thousands. That is exact whatever the values are
// like: a clock that moves in steps, or two classes of launches, give few values, and tests for smooth distributions
// take their inner ones for agreement. Many values have Student's test. NaN if there are none.
func SymmetryTest(d []float64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	sizes := make([]float64, len(d))
	for i, v := range d {
		sizes[i] = math.Abs(v)
	}
	clip := clipAt * Median(sizes)
	x := make([]float64, len(d))
	for i, v := range d {
		x[i] = max(-clip, min(clip, v))
	}
	mean := stats.Mean(x)
	switch {
	case mean == 0:
		return 1
	case len(d) < leastStudent:
		return flipTest(x)
	}
	standard := stats.StdDev(x) / math.Sqrt(float64(len(x)))
	return studentP(mean/standard, len(x)-1) // without any deviation, t is infinite and p is 0
}

// flipTest returns the share of the ways to change the signs of x whose sum is as far from 0 as that of x.
func flipTest(x []float64) float64 {
	ways := 1 << (len(x) - 1) // the first value keeps its sign: the other half of the ways mirrors these
	draw := ways > mostFlips
	random := rand.New(rand.NewPCG(uint64(len(x)), mostFlips))
	whole, as := math.Abs(stats.Mean(x))*float64(len(x))*(1-1e-12), 0
	for way := range min(ways, mostFlips) {
		signs := uint64(way) << 1
		if draw {
			signs = random.Uint64()
		}
		sum := 0.0
		for i, v := range x {
			if signs>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= whole {
			as++
		}
	}
	if draw {
		return float64(as+1) / float64(mostFlips+1)
	}
	return float64(as) / float64(ways)
}

// PairsHalf returns half the width of the interval that a look gives the logarithm of the ratio; +Inf with too few
// pairs.
func PairsHalf(logRatios []float64) float64 {
	if len(logRatios) < leastPairs {
		return math.Inf(1)
	}
	_, variance, kept := trimmedMean(slices.Sorted(slices.Values(logRatios)))
	return studentQuantile(1-(1-upper95)/mostLooks, kept-1) * math.Sqrt(variance)
}
