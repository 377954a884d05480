package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// upper95 is the quantile of the upper end of a two-sided 95 % interval.
const upper95 = 0.975

// LaunchInterval returns the median of the launches' medians with the interval in which the median of as many other
// launches lies with 95 % confidence. (Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, take
// the mean of the highest level; the median of few values is as good and bears one launch in three that is off.)
//
// It is Student's interval for the difference of two such medians or, from ten launches on, Yuen's for trimmed means if
// that is narrower, since one launch that is off does not move a median. Of fewer launches, the one that is off may be
// the first of a class, such as that of one in three places of the arrays. The factors were found by simulation: they
// cover 93 to 98 % of second runs, with or without one launch in ten that is off. A single launch has no interval: low
// and high are the value, and the caller widens them.
func LaunchInterval(medians []float64) Interval {
	x := slices.Sorted(slices.Values(medians))
	n := len(x)
	i := Interval{Value: Quantile(x, 0.5)}
	i.Low, i.High = i.Value, i.Value
	if n < 2 {
		return i
	}
	half := studentQuantile(upper95, n-1) * medianError(n) * stats.StdDev(x) * math.Sqrt(2/float64(n))
	if n >= LeastOutliers {
		deviation, freedom := trimmedError(x)
		half = min(half, trimmedFactor*studentQuantile(upper95, freedom)*deviation*math.Sqrt2)
	}
	return i.Widen(half)
}

const (
	LeastOutliers = 10 // launches of which one that is off is not the first of a class, most probably
	trimmedFactor = 1.3
)

// NextDiffers returns how far, with 95 % confidence, one more value of the same kind is from another one: Student's
// interval for a difference. It is not finite with fewer than two values.
func NextDiffers(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	return studentQuantile(upper95, len(values)-1) * stats.StdDev(values) * math.Sqrt2
}

// medianError returns the standard error of the median of n normal values as a multiple of that of their mean.
func medianError(n int) float64 {
	exact := [LeastOutliers]float64{0, 1, 1, 1.160, 1.092, 1.198, 1.135, 1.214, 1.160, 1.223} // by the number of values
	if n < len(exact) {
		return exact[n]
	}
	return 1.31 // sqrt(pi/2), the limit, and a little for the choice of the narrower interval
}

// Between returns the standard deviation of launches' medians beyond within, the standard error of each of them; 0 if
// that error explains all of it, or with fewer than two launches.
func Between(medians []float64, within float64) float64 {
	if len(medians) < 2 {
		return 0
	}
	return math.Sqrt(max(0, stats.Variance(medians)-within*within))
}
