package drawing

import "math"

// Steps returns round numbers from low to high, about so many of them. low is less than high.
func Steps(low, high float64, about int) []float64 {
	raw := (high - low) / float64(about)
	magnitude := math.Pow(10, math.Floor(math.Log10(raw)))
	step := magnitude
	for _, factor := range []float64{1, 2, 5, 10} {
		if step = factor * magnitude; step >= raw {
			break
		}
	}
	var steps []float64
	for v := math.Ceil(low/step) * step; v <= high+step/1e6; v += step {
		steps = append(steps, v)
	}
	return steps
}
