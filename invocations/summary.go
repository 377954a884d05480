package invocations

import (
	"math"
	"slices"
)

// Summary condenses samples; every time is in nanoseconds per call.
type Summary struct {
	N                   int
	MedianNS            float64
	CILowNS, CIHighNS   float64 // 95 % confidence interval of the median, from order statistics: no distribution assumed
	MinNS, P90NS, P99NS float64
	MeanNS, MADNS       float64 // MAD: median absolute deviation from the median, unscaled
	CPUMedianNS         float64 // thread CPU time; 0 where it was not taken
}

// Summarize computes the summary of wall and CPU samples, which it does not change.
func Summarize(samples, cpu []float64) Summary {
	if len(samples) == 0 {
		return Summary{}
	}
	x := slices.Sorted(slices.Values(samples))
	s := Summary{N: len(x), MedianNS: Quantile(x, 0.5), MinNS: x[0], P90NS: Quantile(x, 0.9), P99NS: Quantile(x, 0.99)}
	s.CILowNS, s.CIHighNS = MedianInterval(x)
	dev := make([]float64, len(x))
	for i, v := range x {
		s.MeanNS += v
		dev[i] = math.Abs(v - s.MedianNS)
	}
	s.MeanNS /= float64(len(x))
	slices.Sort(dev)
	s.MADNS = Quantile(dev, 0.5)
	if len(cpu) > 0 {
		s.CPUMedianNS = Median(cpu)
	}
	return s
}

// Within says whether the confidence interval of the median lies within ± precision of it, as a fraction of the median, or of a nanosecond
// where the median is below one. Below six samples there is no such interval, and it does not.
func (s Summary) Within(precision float64) bool {
	tolerance := precision * max(s.MedianNS, 1)
	return s.N >= 6 && s.MedianNS-s.CILowNS <= tolerance && s.CIHighNS-s.MedianNS <= tolerance
}

// Half95 is half the width of the interval of the median.
func (s Summary) Half95() float64 { return (s.CIHighNS - s.CILowNS) / 2 }

// Median is the median of x, which it does not change; NaN when x is empty.
func Median(x []float64) float64 {
	return Quantile(slices.Sorted(slices.Values(x)), 0.5)
}

// MedianInterval is the interval that holds the median of the population with at least 95 % confidence, as order statistics
// of the sorted sample: the ranks come from the binomial distribution with p = 1/2, exactly up to 1,000 samples, by its normal
// approximation beyond. With fewer than six samples no such interval exists, and it is the whole range.
func MedianInterval(sorted []float64) (low, high float64) {
	n := len(sorted)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	k := medianRank(n)
	return sorted[k], sorted[n-1-k]
}

// medianRank is the largest k with P(Binomial(n, 1/2) < k+1) ≤ 0.025, so that [x_(k+1), x_(n-k)] covers the median; at least 0.
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

// Quantile is the linearly interpolated quantile q of sorted x (type 7, the default of most statistics packages); NaN when x is empty.
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
