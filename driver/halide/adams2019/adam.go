package adams2019

import "math"

// adam is the optimizer ADAM (Kingma and Ba, 2015) with the training program's constants. It computes in 32-bit floats
// and in the same order, so that both take the same steps.
type adam struct {
	weights, gradient Weights
	mean, square      Weights // smoothed gradients and their squares
	steps             int
	of                [4][6]buffer // of the four above
}

func newAdam(w *Weights) *adam {
	a := &adam{weights: *w}
	a.of = [4][6]buffer{a.weights.buffers(), a.gradient.buffers(), a.mean.buffers(), a.square.buffers()}
	return a
}

// step moves the weights against the gradient.
func (a *adam) step(rate float32) {
	a.steps++
	meanShare := 1 / (1 - power(0.9, a.steps))
	squareShare := 1 / (1 - power(0.999, a.steps))
	for i := range a.of[0] {
		for j, weights := range a.of[0][i].rows {
			move(weights, a.of[1][i].rows[j], a.of[2][i].rows[j], a.of[3][i].rows[j], rate, meanShare, squareShare)
		}
	}
}

func move(weights, gradient, mean, square []float32, rate, meanShare, squareShare float32) {
	for i, g := range gradient {
		if g == 0 && mean[i] == 0 && square[i] == 0 {
			continue // the step is zero: most pipelines use few of the pipeline features
		}
		mean[i] = float32(0.9*mean[i]) + float32(0.1*g)
		square[i] = float32(0.999*square[i]) + float32(0.001*float32(g*g))
		step := rate * mean[i] * meanShare
		step /= float32(math.Sqrt(float64(square[i]*squareShare))) + 1e-5
		weights[i] -= step
	}
}

// power returns the power of a 32-bit float, rounded to one.
func power(base float32, exponent int) float32 {
	return float32(math.Pow(float64(base), float64(exponent)))
}
