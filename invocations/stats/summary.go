package stats

import (
	"math"
	"slices"
)

// Summary condenses the samples of one measurement. Every time is in nanoseconds per call.
type Summary struct {
	N                   int // number of samples
	MedianNS            float64
	CILowNS, CIHighNS   float64 // 95 % confidence interval of the median; see MedianInterval
	MinNS, P90NS, P99NS float64
	MeanNS, MADNS       float64 // MAD: median absolute deviation from the median, unscaled
	CPUMedianNS         float64 // thread CPU time; 0 if it was not taken
}

// Summarize returns the summary of wall and CPU samples, which it does not change.
func Summarize(samples, cpu []float64) Summary {
	if len(samples) == 0 {
		return Summary{}
	}
	x := slices.Clone(samples)
	slices.Sort(x)
	s := Summary{
		N: len(x), MedianNS: Quantile(x, 0.5), MinNS: x[0], P90NS: Quantile(x, 0.9), P99NS: Quantile(x, 0.99),
	}
	s.CILowNS, s.CIHighNS = MedianInterval(x)
	deviations := make([]float64, len(x))
	for i, v := range x {
		s.MeanNS += v
		deviations[i] = math.Abs(v - s.MedianNS)
	}
	s.MeanNS /= float64(len(x))
	s.MADNS = selectQuantile(deviations, 0.5)
	if len(cpu) > 0 {
		s.CPUMedianNS = Median(cpu)
	}
	return s
}

// leastForInterval is the smallest number of samples that have a 95 % confidence interval of their median.
const leastForInterval = 6

// Within reports whether the confidence interval of the median lies within ± precision of it, as a fraction of the
// median, or of a nanosecond if the median is below one. It is false with fewer than six samples, which have no such
// interval.
func (s Summary) Within(precision float64) bool {
	tolerance := precision * max(s.MedianNS, 1)
	return s.N >= leastForInterval && s.MedianNS-s.CILowNS <= tolerance && s.CIHighNS-s.MedianNS <= tolerance
}

// Half95 returns half the width of the interval of the median.
func (s Summary) Half95() float64 { return (s.CIHighNS - s.CILowNS) / 2 }
