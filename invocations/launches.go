package invocations

import (
	"math"
	"slices"
)

// Interval is a figure with what a second run of the same would differ by: its median lies within, with 95 % confidence.
type Interval struct{ Value, Low, High float64 }

// Half is half the width of the interval.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// Known says whether there is a figure.
func (i Interval) Known() bool { return i.Value != 0 || i.Low != 0 || i.High != 0 }

// widen makes the interval reach at least so far to both sides.
func (i Interval) widen(half float64) Interval {
	i.Low, i.High = min(i.Low, i.Value-half), max(i.High, i.Value+half)
	return i
}

// Within says whether the interval lies within ± precision of the figure, as a fraction of it or, where it is below least, of least.
func (i Interval) Within(precision, least float64) bool {
	return i.Known() && i.Half() <= precision*max(i.Value, least)
}

// Spread is what several launches of one invocation say together. Times are in nanoseconds per call, cycles per call.
type Spread struct {
	Launches         int       // that kept samples
	Numbers          []int     // of the launches, in order of measuring, from 0
	MediansNS        []float64 // of each
	ReferenceMedians []float64 // at the reference clock; nil where the clock is not known
	CyclesMedians    []float64 // nil where they were not counted
	Time             Interval
	Reference        Interval // time at the reference clock
	Cycles           Interval // counted ones
	ReferenceGHz     float64
	WithinNS         float64 // standard error of a launch's median from the batches of the launch
	BetweenNS        float64 // standard deviation of the launches' medians beside that
}

// LaunchInterval is the median of the launches' medians with the interval in which the median of as many other launches lies with 95 % confidence (Kalibera and
// Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, take the mean of the highest level; the median of few is as good and bears one launch in three that
// is off). It is Student's interval for the difference of two such medians or, from five launches on, Yuen's for trimmed means where that is narrower, since one
// launch that is off does not move a median. The factors were found by drawing: they cover 93 to 96 % of second runs, with or without one launch in ten that is off.
// A single launch has no interval: low and high are the value, and the caller widens them.
func LaunchInterval(medians []float64) Interval {
	x := slices.Sorted(slices.Values(medians))
	n := len(x)
	i := Interval{Value: Quantile(x, 0.5)}
	i.Low, i.High = i.Value, i.Value
	if n < 2 {
		return i
	}
	half := studentQuantile(n-1) * medianError(n) * deviation(x) * math.Sqrt(2/float64(n))
	if n >= leastTrimmed {
		half = min(half, trimmedFactor*trimmedError(x)*math.Sqrt2)
	}
	return i.widen(half)
}

const (
	leastTrimmed  = 5   // values of which two can be trimmed
	trimShare     = 0.2 // at each end
	trimmedFactor = 1.3
)

// trimmedError is the standard error of the trimmed mean of sorted x, times Student's quantile for it (K. K. Yuen, Biometrika 61, 1974): the deviation of x with its
// ends drawn in to where they would be cut off.
func trimmedError(x []float64) float64 {
	n := len(x)
	cut := int(trimShare * float64(n))
	drawn := slices.Clone(x)
	for i := range cut {
		drawn[i], drawn[n-1-i] = x[cut], x[n-1-cut]
	}
	return studentQuantile(n-2*cut-1) * deviation(drawn) / ((1 - 2*float64(cut)/float64(n)) * math.Sqrt(float64(n)))
}

// NextDiffers is how far, with 95 % confidence, one more value of the same kind is from another one: Student's interval for a difference.
func NextDiffers(values []float64) float64 {
	return studentQuantile(len(values)-1) * deviation(values) * math.Sqrt2
}

// medianError is the standard error of the median of n normal values against that of their mean.
func medianError(n int) float64 {
	exact := [...]float64{0, 1, 1, 1.160, 1.092} // of 1, 2, 3, 4 values
	if n < len(exact) {
		return exact[n]
	}
	return 1.31 // sqrt(pi/2), the limit, and a little for the choice of the narrower interval
}

// deviation is the standard deviation of x, estimated with n-1.
func deviation(x []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(x)-1))
}

// studentQuantile is the 97.5 % quantile of Student's t with so many degrees of freedom.
func studentQuantile(freedom int) float64 {
	table := [...]float64{math.Inf(1), 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}
	if freedom < len(table) {
		return table[freedom]
	}
	f := float64(freedom) // Cornish-Fisher, good to 0.001 here
	const z = 1.959964
	return z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f)
}

// clockMoved is how far apart, relatively, the clocks of two launches must be for their times to say whether the function follows the clock.
const clockMoved = 0.03

// FollowsClock is how much of a change of the core's clock the times of launches follow: 1 where the core bounds the function, 0 where memory does, whose clock is another. It is
// the median over pairs of launches; not known where the clock stood still.
func FollowsClock(timesNS, ghz []float64) (share float64, known bool) {
	var slopes []float64
	for i := range timesNS {
		for j := range i {
			if moved := math.Log(ghz[i] / ghz[j]); math.Abs(moved) > clockMoved {
				slopes = append(slopes, -math.Log(timesNS[i]/timesNS[j])/moved)
			}
		}
	}
	if len(slopes) < leastSlopes {
		return 0, false
	}
	return min(1, max(0, Median(slopes))), true
}

const leastSlopes = 5

// Classes are two groups into which launches fall.
type Classes struct {
	LowNS, HighNS float64 // medians of the launches of each
	Low, High     int     // launches of each
}

const (
	leastOfClass  = 2    // launches: a single one that is off is an accident
	classDistance = 0.02 // relative distance of two classes at least
	classGap      = 4    // gap between the classes against the widest of theirs
)

// TwoClasses says whether the launches' medians fall into two classes with nothing between them: the greatest gap parts at least two launches on each side,
// is wider than the classes themselves, and matters.
func TwoClasses(medians []float64) (Classes, bool) {
	x := slices.Sorted(slices.Values(medians))
	at, gap := 0, 0.0
	for i := leastOfClass; i <= len(x)-leastOfClass; i++ {
		if g := x[i] - x[i-1]; g > gap {
			at, gap = i, g
		}
	}
	if at == 0 {
		return Classes{}, false
	}
	low, high := x[:at], x[at:]
	c := Classes{LowNS: Quantile(low, 0.5), HighNS: Quantile(high, 0.5), Low: len(low), High: len(high)}
	widest := max(widestGap(low), widestGap(high))
	return c, c.HighNS-c.LowNS > classDistance*math.Abs(c.LowNS) && gap > classGap*widest
}

// widestGap is the greatest distance of neighbours in sorted x.
func widestGap(x []float64) float64 {
	most := 0.0
	for i := 1; i < len(x); i++ {
		most = max(most, x[i]-x[i-1])
	}
	return most
}
