package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"
)

// TrimmedTest returns the two-sided p-value of "the location of d is 0" by Yuen's t test on the mean without a fifth at
// each end. Few values suffice, unlike for tests of ranks, and one wild value in five does no harm. It is NaN with
// fewer than three values. (K. K. Yuen, The two-sample trimmed t for unequal population variances, Biometrika 61, 1974;
// this is its one-sample form, after R. R. Wilcox.)
func TrimmedTest(d []float64) float64 {
	if len(d) < 3 {
		return math.NaN()
	}
	x := slices.Sorted(slices.Values(d))
	cut := trimmed(len(x))
	center := stats.Mean(x[cut : len(x)-cut])
	deviation, freedom := trimmedError(x)
	switch {
	case center == 0:
		return 1
	case deviation == 0:
		return 0
	}
	return studentP(center/deviation, freedom)
}

// trimmed returns how many of n values a trimmed mean leaves out at each end.
func trimmed(n int) int { return n / 5 }

// trimmedError returns the standard error of the trimmed mean of sorted x and its degrees of freedom (Yuen, above): it
// comes from the deviation of x in which the values that are left out are replaced by their nearest neighbours.
func trimmedError(x []float64) (deviation float64, freedom int) {
	n, cut := len(x), trimmed(len(x))
	winsorized := slices.Clone(x)
	for i := range cut {
		winsorized[i], winsorized[n-1-i] = x[cut], x[n-1-cut]
	}
	kept := float64(n-2*cut) / float64(n)
	return stats.StdDev(winsorized) / (kept * math.Sqrt(float64(n))), n - 2*cut - 1
}

// studentP returns the chance that Student's t with the given degrees of freedom, at least one, is as far from 0 as t
// is (Abramowitz and Stegun, 26.7.1 with 26.5.27; it keeps its precision where one minus a cumulative probability is
// zero).
func studentP(t float64, freedom int) float64 {
	v := float64(freedom)
	return mathx.BetaInc(v/(v+t*t), v/2, 0.5)
}

// studentQuantile returns the quantile q of Student's t with the given degrees of freedom; +Inf with none.
func studentQuantile(q float64, freedom int) float64 {
	if q < 0.5 && freedom > 0 {
		return -studentBeyond(q, freedom)
	}
	return studentBeyond(1-q, freedom)
}

// studentBeyond returns the value that Student's t with the given degrees of freedom exceeds with a chance of a half or
// less, which may be very small; +Inf with none. It is found by Newton's method: the chance is a convex function of
// values above 0, so that no step from there goes too far.
func studentBeyond(chance float64, freedom int) float64 {
	if freedom < 1 {
		return math.Inf(1)
	}
	distribution, t := stats.TDist{V: float64(freedom)}, 0.0
	for {
		step := (studentP(t, freedom)/2 - chance) / distribution.PDF(t)
		if !(step > 1e-12*t) { // NaN, if the chance is too small for a number
			return t
		}
		t += step
	}
}
