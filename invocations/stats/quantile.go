package stats

import (
	"math"
	"math/bits"
	"slices"
)

// Median returns the median of x, which it does not change; NaN if x is empty. It allocates once: an executor calls it
// while no garbage is collected.
func Median(x []float64) float64 { return QuantileOf(x, 0.5) }

// QuantileOf returns what Quantile does, of values in any order, which it does not change.
func QuantileOf(x []float64, q float64) float64 { return selectQuantile(slices.Clone(x), q) }

// MeanNearMedian returns the mean of those of x that are within a distance of its median; NaN if x is empty. Of values that
// go in steps it is finer than the median, and as little moved by outliers.
func MeanNearMedian(x []float64, distance float64) float64 { return meanNear(x, Median(x), distance) }

// counterStep is the largest step of a processor's counter of time, as a fraction of a probe, with room for its noise.
const counterStep = 0.02

// Typical returns the typical one of times or clocks that a processor's counter of time has shown; NaN if x is empty. It is
// the mean near the median, which is off by up to half a step where the counter goes in steps of 0.8 % of a probe.
func Typical(x []float64) float64 {
	median := Median(x)
	return meanNear(x, median, counterStep*median)
}

// meanNear returns the mean of those of x that are within a distance of a value, and the value if none are.
func meanNear(x []float64, value, distance float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range x {
		if math.Abs(v-value) <= distance {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return value
	}
	return sum / n
}

// Quantile returns the quantile q of sorted x, interpolated linearly (method R7 of Hyndman and Fan, 1996, the default
// of most statistics packages); NaN if x is empty.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	h := q * float64(len(x)-1)
	i := int(h)
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + (h-float64(i))*(x[i+1]-x[i])
}

// selectQuantile returns what Quantile does, of values in any order, in less time than it takes to sort them. It
// changes their order.
func selectQuantile(x []float64, q float64) float64 {
	if len(x) == 0 || slices.ContainsFunc(x, math.IsNaN) { // NaN is neither less nor more than another value
		slices.Sort(x)
		return Quantile(x, q)
	}
	h := q * float64(len(x)-1)
	i := int(h)
	put(x, i)
	if i+1 == len(x) {
		return x[i]
	}
	next := slices.Min(x[i+1:])
	return x[i] + (h-float64(i))*(next-x[i])
}

// fewToSort is a number of values that are sorted in less time than they are divided.
const fewToSort = 12

// put changes the order of values so that x[k] is what it would be if they were sorted, with none that is larger before
// it and none that is smaller behind it (Quickselect: Hoare, Algorithm 65, Communications of the ACM 4, 1961). Where
// that takes long, it sorts.
func put(x []float64, k int) {
	low, high := 0, len(x) // x[low:high] are where sorted values in this range would be
	for divisions := 2 * bits.Len(uint(len(x))); high-low > fewToSort && divisions > 0; divisions-- {
		a, b, c := x[low], x[low+(high-low)/2], x[high-1]
		pivot := max(min(a, b), min(max(a, b), c)) // the middle one
		i, j := low, high-1
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch { // what lies between j and i is the pivot
		case k <= j:
			high = j + 1
		case k >= i:
			low = i
		default:
			return
		}
	}
	slices.Sort(x[low:high])
}

// MedianInterval returns the interval that holds the median of the population with at least 95 % confidence, as order
// statistics of the sorted sample: no distribution is assumed. The ranks come from the binomial distribution with
// p = 1/2, exactly up to 1,000 samples, by its normal approximation beyond. Fewer than six samples have no such
// interval; theirs is the whole range. It is NaN if sorted is empty.
func MedianInterval(sorted []float64) (low, high float64) {
	n := len(sorted)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	k := medianRank(n)
	return sorted[k], sorted[n-1-k]
}

// medianRank returns the largest k with P(Binomial(n, 1/2) < k+1) ≤ 0.025, so that [x_(k+1), x_(n-k)] covers the
// median; at least 0.
func medianRank(n int) int {
	if n > 1000 {
		return int(math.Floor(float64(n)/2 - 0.98*math.Sqrt(float64(n))))
	}
	logp := -float64(n) * math.Ln2 // log of C(n,i)/2^n at i = 0
	sum := 0.0
	for i := range n {
		sum += math.Exp(logp)
		if sum > 0.025 {
			return max(0, i-1)
		}
		logp += math.Log(float64(n-i)) - math.Log(float64(i+1))
	}
	return 0
}
