package stats

import (
	"math"

	"zonemark/invocations"
)

// leastResampled is the number of pairs below which a bootstrap interval is not worth its name.
const leastResampled = 6

// comparison is what pairs say of the time of one variant against another. All but p and detectable are logarithms of the ratio.
type comparison struct {
	center, low, high float64 // with the interval of Bootstrap.Confidence
	lowSame, highSame float64 // the 1-2·Alpha interval
	p                 float64 // of "as fast"
	detectable        float64 // relative difference that would have been found in 80 % of all experiments
}

// comparePairs judges the log ratios d of at least three pairs: from six on by PairedBootstrap, TrimmedTest and MinimumDetectableEffect, below by Student's t
// on their mean, which needs few values but takes the logarithms for normally distributed.
func comparePairs(d []float64, o RankOptions) comparison {
	if len(d) < leastResampled {
		return compareByStudent(d, o)
	}
	medians := resampleMedians(d, o.Bootstrap)
	tail := (1 - o.Bootstrap.Confidence) / 2
	quantile := func(q float64) float64 { return invocations.Quantile(medians, q) }
	return comparison{
		center: invocations.Median(d), low: quantile(tail), high: quantile(1 - tail), lowSame: quantile(o.Alpha), highSame: quantile(1 - o.Alpha),
		p: TrimmedTest(d), detectable: MinimumDetectableEffect(d),
	}
}

func compareByStudent(d []float64, o RankOptions) comparison {
	n := float64(len(d))
	center, squares := mean(d), 0.0
	for _, v := range d {
		squares += (v - center) * (v - center)
	}
	deviation := math.Sqrt(squares / (n - 1) / n) // of the mean
	half := func(tail float64) float64 { return studentQuantile(1-tail, len(d)-1) * deviation }
	both, same := half((1-o.Bootstrap.Confidence)/2), half(o.Alpha)
	c := comparison{center: center, low: center - both, high: center + both, lowSame: center - same, highSame: center + same}
	c.detectable = math.Expm1(half(0.025) + half(0.2))
	switch {
	case center == 0:
		c.p = 1
	case deviation > 0:
		c.p = studentP(center/deviation, len(d)-1)
	}
	return c
}

// studentQuantile is the quantile q, above one half, of Student's t with so many degrees of freedom.
func studentQuantile(q float64, freedom int) float64 {
	low, high := 0.0, 1.0
	for studentP(high, freedom) > 2*(1-q) {
		low, high = high, 2*high
	}
	for range 60 {
		middle := (low + high) / 2
		if studentP(middle, freedom) > 2*(1-q) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
