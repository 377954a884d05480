package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// exactLimit is the largest number of values, on either side, for which the exact distribution of U is computed.
const exactLimit = 50

// MannWhitney returns the two-sided p-value of the Mann-Whitney U test: how often two samples of one distribution
// differ in rank as much as a and b do. It is exact without equal values and with at most 50 values a side; beyond, it
// is the normal approximation with corrections for ties and continuity. Three values a side can never reach 0.05. It is
// 1 if all values are equal, and NaN if a side is empty or holds a NaN.
//
// The exact distribution is moremath's. Its test is not used: with few values of which some are equal, it doubles one
// tail of a distribution that is not symmetric then, and gives 0 for samples that do not overlap.
func MannWhitney(a, b []float64) float64 {
	if slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN()
	}
	r := rankSums(countsOf(a), countsOf(b))
	if r.ties == 0 && 0 < r.n && r.n <= exactLimit && 0 < r.m && r.m <= exactLimit {
		exact := stats.UDist{N1: len(a), N2: len(b)}
		return min(1, 2*exact.CDF(min(r.u, r.n*r.m-r.u)))
	}
	return r.approximateP()
}

// count is a value and how often it occurs.
type count[T cmp.Ordered] struct {
	value T
	times int64
}

// countsOf returns the different values of x in ascending order.
func countsOf(x []float64) []count[float64] {
	var counts []count[float64]
	for _, v := range slices.Sorted(slices.Values(x)) {
		if n := len(counts); n > 0 && counts[n-1].value == v {
			counts[n-1].times++
		} else {
			counts = append(counts, count[float64]{v, 1})
		}
	}
	return counts
}

// rankStatistics are the sums over two samples that the U test is about.
type rankStatistics struct {
	n, m float64 // sizes of the samples
	u    float64 // pairs in which the first sample's value is greater, and half of those in which both are equal
	ties float64 // sum of t³-t over the sizes t of groups of equal values
}

func rankSums[T cmp.Ordered](a, b []count[T]) rankStatistics {
	var r rankStatistics
	for len(a) > 0 || len(b) > 0 {
		var fromA, fromB float64
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].value < b[0].value:
			fromA, a = float64(a[0].times), a[1:]
		case len(a) == 0 || b[0].value < a[0].value:
			fromB, b = float64(b[0].times), b[1:]
		default:
			fromA, fromB, a, b = float64(a[0].times), float64(b[0].times), a[1:], b[1:]
		}
		r.u += fromA * (r.m + fromB/2)
		r.n, r.m = r.n+fromA, r.m+fromB
		t := fromA + fromB
		r.ties += t*t*t - t
	}
	return r
}

// approximateP returns the normal approximation of the two-sided p-value; NaN if a sample is empty.
func (r rankStatistics) approximateP() float64 {
	if r.n == 0 || r.m == 0 {
		return math.NaN()
	}
	total, pairs := r.n+r.m, r.n*r.m
	variance := pairs / 12 * (total + 1 - r.ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}
	z := max(0, math.Abs(r.u-pairs/2)-0.5) / math.Sqrt(variance)
	return max(2*stats.StdNormal.CDF(-z), leastP(r.n, r.m))
}

// leastP returns the exact p-value for n values that are all above m others: no test by ranks can give less. The normal
// approximation would give less for few values against many equal ones.
func leastP(n, m float64) float64 {
	logFactorial := func(x float64) float64 {
		v, _ := math.Lgamma(x + 1)
		return v
	}
	return min(1, 2*math.Exp(logFactorial(n)+logFactorial(m)-logFactorial(n+m)))
}
