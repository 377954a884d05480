package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// BootstrapOptions are the options of a bootstrap. Zero values stand for the defaults.
type BootstrapOptions struct {
	Resamples  int     // 0: 4,000
	Confidence float64 // of the interval; 0: 0.95
	Seed       uint64
}

func (o BootstrapOptions) withDefaults() BootstrapOptions {
	if o.Resamples <= 0 {
		o.Resamples = 4000
	}
	if o.Confidence <= 0 || o.Confidence >= 1 {
		o.Confidence = 0.95
	}
	return o
}

// LogRatios returns ln(b[i]/a[i]) for the pairs whose times are both positive and finite, in order. The longer side's
// surplus is left out.
func LogRatios(a, b []float64) []float64 {
	d := make([]float64, 0, min(len(a), len(b)))
	for i := range min(len(a), len(b)) {
		if usable(a[i]) && usable(b[i]) {
			d = append(d, math.Log(b[i])-math.Log(a[i]))
		}
	}
	return d
}

func usable(ns float64) bool { return ns > 0 && !math.IsInf(ns, 1) }

// resampleMedians returns the sorted bootstrap distribution of the median of d; empty if d is.
func resampleMedians(d []float64, o BootstrapOptions) []float64 {
	if len(d) == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(o.Seed, uint64(len(d))))
	medians := make([]float64, o.Resamples)
	draw := make([]float64, len(d))
	for i := range medians {
		for k := range draw {
			draw[k] = d[random.IntN(len(d))]
		}
		medians[i] = selectQuantile(draw, 0.5)
	}
	slices.Sort(medians)
	return medians
}

// MinimumDetectableEffect returns the relative difference, 0.02 for 2 %, that len(d) pairs with the spread of the log
// ratios d would show with 80 % power at the two-sided 5 % level: 2.80 standard errors of the median, the spread taken
// from the median absolute deviation. NaN with fewer than two pairs.
func MinimumDetectableEffect(d []float64) float64 {
	if len(d) < 2 {
		return math.NaN()
	}
	center := Median(d)
	deviations := make([]float64, len(d))
	for i, v := range d {
		deviations[i] = math.Abs(v - center)
	}
	const (
		sigmaOfMAD  = 1.4826 // normal distribution
		medianError = 1.2533 // sqrt(pi/2): standard error of a median against that of a mean
		power80     = 2.80   // 1.96 + 0.84
	)
	return math.Expm1(power80 * medianError * sigmaOfMAD * Median(deviations) / math.Sqrt(float64(len(d))))
}
