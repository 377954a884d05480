package stats

import "math"

// leastThird is the number of samples of a third of a launch below which their order tells nothing.
const leastThird = 5

// Drift returns how many times as long the last third of a launch's samples take as its first third, by their medians.
// It returns 1 if there are too few samples.
func Drift(samples []float64) float64 {
	n := len(samples) / 3
	if n < leastThird {
		return 1
	}
	return Ratio(Median(samples[len(samples)-n:]), Median(samples[:n]))
}

// Unevenness returns the mean of a launch's samples as a multiple of their median: far from 1 if some calls do far more
// work than others. It returns 1 if there are too few samples.
func Unevenness(samples []float64) float64 {
	if len(samples) < 3*leastThird {
		return 1
	}
	sum := 0.0
	for _, v := range samples {
		sum += v
	}
	return Ratio(sum/float64(len(samples)), Median(samples))
}

// Ratio returns a quotient of times, or 1 if one of them is not above 0.
func Ratio(a, b float64) float64 {
	if a > 0 && b > 0 {
		return a / b
	}
	return 1
}

// Common returns the factor next to 1 if all factors lie on the same side of 1, else 1.
func Common(factors []float64) float64 {
	common := 0.0 // logarithm
	for i, f := range factors {
		l := math.Log(f)
		switch {
		case i == 0:
			common = l
		case l*common <= 0:
			return 1
		case math.Abs(l) < math.Abs(common):
			common = l
		}
	}
	return math.Exp(common)
}
