package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Difference is what two independent groups of launches tell about the ratio of their times, new to old.
type Difference struct {
	Ratio              float64 // of the typical times (trimmed means of the logarithms)
	Low, High          float64 // 95 % interval of the ratio
	SameLow, SameHigh  float64 // 90 % interval: two one-sided tests at the 5 % level find what lies outside
	P                  float64 // two-sided, of "as fast"; NaN if a side has fewer than two launches
	Detectable         float64 // relative difference that would have been found in 80 % of all experiments; NaN as P
	logRatio, standard float64
	freedom            int
}

// Independent compares the times of launches of two runs that were not paired. Each value is positive; others are left
// out. It is the test of Yuen and Welch on logarithms (Yuen, 1974; see TrimmedTest), with a fifth of the launches left
// out at each end, so that one wild launch in five does no harm. The half-widths are relative: how far a second run of
// each side would differ, as the runs themselves know it (the floor of the machine, for example); the interval is never
// narrower than what they say together. Zero is allowed.
func Independent(before, after []float64, halfBefore, halfAfter float64) Difference {
	a, b := sortedLogs(before), sortedLogs(after)
	d := Difference{Ratio: math.NaN(), P: math.NaN(), Detectable: math.NaN()}
	if len(a) < 2 || len(b) < 2 {
		d.Low, d.High, d.SameLow, d.SameHigh = 0, math.Inf(1), 0, math.Inf(1)
		if len(a) > 0 && len(b) > 0 {
			d.Ratio = math.Exp(Quantile(b, 0.5) - Quantile(a, 0.5))
		}
		return d
	}
	ma, va, ha := trimmedMean(a)
	mb, vb, hb := trimmedMean(b)
	d.logRatio = mb - ma
	d.Ratio = math.Exp(d.logRatio)
	d.freedom = min(ha, hb) - 1
	if va+vb > 0 {
		d.freedom = int((va + vb) * (va + vb) / (va*va/float64(ha-1) + vb*vb/float64(hb-1)))
	}
	d.freedom = max(1, d.freedom)
	known := math.Sqrt((halfBefore*halfBefore + halfAfter*halfAfter) / 2)
	d.standard = max(math.Sqrt(va+vb), known/studentQuantile(upper95, d.freedom))
	d.Low, d.High = d.interval(upper95)
	d.SameLow, d.SameHigh = d.interval(0.95)
	d.Detectable = math.Expm1((studentQuantile(upper95, d.freedom) + studentQuantile(0.8, d.freedom)) * d.standard)
	switch {
	case d.logRatio == 0:
		d.P = 1
	case d.standard > 0:
		d.P = studentP(d.logRatio/d.standard, d.freedom)
	}
	if d.standard == 0 && d.logRatio != 0 {
		d.P = 0
	}
	return d
}

func (d *Difference) interval(quantile float64) (low, high float64) {
	half := studentQuantile(quantile, d.freedom) * d.standard
	return math.Exp(d.logRatio - half), math.Exp(d.logRatio + half)
}

// sortedLogs returns the logarithms of the positive, finite values, in order.
func sortedLogs(x []float64) []float64 {
	var logs []float64
	for _, v := range x {
		if v > 0 && !math.IsInf(v, 1) {
			logs = append(logs, math.Log(v))
		}
	}
	slices.Sort(logs)
	return logs
}

// trimmedMean returns the mean of sorted x without a fifth at each end, the square of its standard error, and the number
// of values that are left.
func trimmedMean(x []float64) (mean, variance float64, kept int) {
	cut := trimmed(len(x))
	deviation, freedom := trimmedError(x)
	return stats.Mean(x[cut : len(x)-cut]), deviation * deviation, freedom + 1
}
