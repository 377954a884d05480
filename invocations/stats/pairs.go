package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// leastResampled is the number of pairs below which a bootstrap interval is too narrow.
const leastResampled = 6

// comparison is the result of comparing the times of two variants by pairs. All but p and detectable are logarithms of
// the ratio.
type comparison struct {
	center, low, high float64 // with the interval of Bootstrap.Confidence
	lowSame, highSame float64 // the 1-2·Alpha interval
	p                 float64 // of "as fast"
	detectable        float64 // relative difference that would have been found in 80 % of all experiments
}

// comparePairs judges the log ratios d of at least three pairs: from six on by a bootstrap of their median, TrimmedTest and
// MinimumDetectableEffect, below by Student's t on their mean, which needs few values.
func comparePairs(d []float64, o RankOptions) comparison {
	if len(d) < leastResampled {
		return compareByStudent(d, o)
	}
	medians := resampleMedians(d, o.Bootstrap)
	tail := (1 - o.Bootstrap.Confidence) / 2
	quantile := func(q float64) float64 { return Quantile(medians, q) }
	return comparison{
		center: Median(d), low: quantile(tail), high: quantile(1 - tail),
		lowSame: quantile(o.Alpha), highSame: quantile(1 - o.Alpha),
		p: TrimmedTest(d), detectable: MinimumDetectableEffect(d),
	}
}

// compareByStudent judges few log ratios by Student's t, which takes the logarithms for normally distributed.
func compareByStudent(d []float64, o RankOptions) comparison {
	freedom := len(d) - 1
	center, deviation := stats.Mean(d), stats.StdDev(d)/math.Sqrt(float64(len(d)))
	half := func(tail float64) float64 { return studentQuantile(1-tail, freedom) * deviation }
	both, same := half((1-o.Bootstrap.Confidence)/2), half(o.Alpha)
	c := comparison{
		center: center, low: center - both, high: center + both, lowSame: center - same, highSame: center + same,
		detectable: math.Expm1(half(0.025) + half(0.2)),
	}
	switch {
	case center == 0:
		c.p = 1
	case deviation > 0:
		c.p = studentP(center/deviation, freedom)
	}
	return c
}
