package stats

import "math"

// Scatter returns how far positive figures are from each other, as a fraction: the standard deviation of their logarithms.
func Scatter(figures []float64) float64 {
	logs := make([]float64, len(figures))
	for i, v := range figures {
		logs[i] = math.Log(v)
	}
	return deviation(logs)
}

// ScatterInTurns returns how far the figures of launches that took turns typically are from what their row and their turn
// explain, as a fraction: the median of the absolute logarithms that are left without the median of each row and of each
// turn. figures has a row for each variant, with its figure of each turn; NaN where it has none. It is 0 if nothing is
// left to be explained, as with one row or one turn.
func ScatterInTurns(figures [][]float64) float64 {
	var logs [][]float64
	turns := 0
	for _, row := range figures {
		one := make([]float64, len(row))
		for i, v := range row {
			one[i] = math.Log(v) // NaN and what is not positive stay out
		}
		logs, turns = append(logs, without(one, median(one))), max(turns, len(row))
	}
	var left []float64
	for i := range turns {
		var turn []float64
		for _, row := range logs {
			if i < len(row) {
				turn = append(turn, row[i])
			}
		}
		for _, v := range without(turn, median(turn)) {
			if finite(v) {
				left = append(left, math.Abs(v))
			}
		}
	}
	return median(left)
}

// BiasInTurns returns how far apart rows of figures are in the turns that they share, as a fraction: the largest difference
// between rows of the median logarithm without that of each turn. Rows of fewer than three turns tell nothing.
func BiasInTurns(figures [][]float64) float64 {
	turns := 0
	for _, row := range figures {
		turns = max(turns, len(row))
	}
	levels := make([][]float64, len(figures))
	for i := range turns {
		turn := make([]float64, len(figures))
		for r, row := range figures {
			if turn[r] = math.NaN(); i < len(row) {
				turn[r] = math.Log(row[i])
			}
		}
		for r, v := range without(turn, median(turn)) {
			if finite(v) {
				levels[r] = append(levels[r], v)
			}
		}
	}
	least, most := 0.0, 0.0
	for _, l := range levels {
		if len(l) >= fewestTurns {
			least, most = min(least, median(l)), max(most, median(l))
		}
	}
	return most - least
}

// fewestTurns tell where a row is.
const fewestTurns = 3

// without returns values less one of them.
func without(values []float64, level float64) []float64 {
	for i := range values {
		values[i] -= level
	}
	return values
}

// median is that of the finite values; 0 if there are none.
func median(values []float64) float64 {
	var known []float64
	for _, v := range values {
		if finite(v) {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return 0
	}
	return Median(known)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
