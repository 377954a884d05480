package stats

import "math"

// fewSamples is the number of samples below which neither their order nor their mean tells anything.
const fewSamples = 5

// Drift returns how many times as long the last third of a launch's samples take as its first third, by their medians.
// It returns 1 if there are too few samples.
func Drift(samples []float64) float64 {
	n := len(samples) / 3
	if n < fewSamples {
		return 1
	}
	return Ratio(Median(samples[len(samples)-n:]), Median(samples[:n]))
}

// Unevenness returns the mean of a launch's samples as a multiple of their median: far from 1 if some calls do far more
// work than others. It returns 0 if there are too few samples.
func Unevenness(samples []float64) float64 {
	if len(samples) < fewSamples {
		return 0
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

// WeightedMean returns the mean of values by their weights, its standard error, and how many values of equal weight would
// tell as much. Of a single value, the error is not a number.
func WeightedMean(values, weights []float64) (mean, err, number float64) {
	sum, squares := 0.0, 0.0
	for i, w := range weights {
		sum, squares, mean = sum+w, squares+w*w, mean+w*values[i]
	}
	if sum == 0 {
		return 0, 0, 0
	}
	mean /= sum
	for i, w := range weights {
		err = math.Hypot(err, w/sum*(values[i]-mean))
	}
	number = sum * sum / squares
	return mean, err * math.Sqrt(number/(number-1)), number
}
