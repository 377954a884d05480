package adams2019

import (
	"cmp"
	"math"
	"slices"
)

// spearman returns the rank correlation of paired values (Spearman, 1904): 1 if both have the same order, -1 if the
// orders are opposite. Equal values share the mean of their ranks. It returns NaN if there are fewer than two pairs, or
// if one side has equal values only. Both slices have the same length and stay as they are.
func spearman(a, b []float64) float64 {
	x, y := sharedRanks(a), sharedRanks(b)
	mean := float64(len(a)-1) / 2
	var products, squaresX, squaresY float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		products += dx * dy
		squaresX += dx * dx
		squaresY += dy * dy
	}
	return products / math.Sqrt(squaresX*squaresY)
}

// sharedRanks returns the rank of each value, from 0.
func sharedRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && values[order[last+1]] == values[order[first]] {
			last++
		}
		for _, i := range order[first : last+1] {
			out[i] = float64(first+last) / 2
		}
		first = last + 1
	}
	return out
}
