package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm decides which hypotheses to reject so that the chance of even one wrong rejection among all stays below alpha.
// With p sorted, the i-th smallest of m is rejected as long as p ≤ alpha/(m-i+1). NaN stands for no test: it is not
// rejected and does not count.
func Holm(p []float64, alpha float64) []bool {
	order := ascending(p)
	reject := make([]bool, len(p))
	for k, i := range order {
		if p[i] > alpha/float64(len(order)-k) {
			break
		}
		reject[i] = true
	}
	return reject
}

// BenjaminiHochberg decides which hypotheses to reject so that at most the share q of the rejected ones is expected to
// be true (Benjamini and Hochberg, 1995). NaN stands for no test: it is not rejected and does not count.
func BenjaminiHochberg(p []float64, q float64) []bool {
	order := ascending(p)
	reject := make([]bool, len(p))
	for k := len(order) - 1; k >= 0; k-- {
		if p[order[k]] <= q*float64(k+1)/float64(len(order)) {
			for _, i := range order[:k+1] {
				reject[i] = true
			}
			break
		}
	}
	return reject
}

// ascending returns the indices of the numbers in p in the order of their values, without those of NaN.
func ascending(p []float64) []int {
	order := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return order
}
