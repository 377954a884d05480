package stats

import (
	"math"
	"slices"
)

// Holm decides which hypotheses to reject so that the chance of even one wrong rejection among all stays below alpha.
// With p sorted, the i-th smallest of m is rejected as long as p ≤ alpha/(m-i+1). NaN stands for no test: it is not
// rejected and does not count.
func Holm(p []float64, alpha float64) []bool {
	order := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	reject := make([]bool, len(p))
	for k, i := range order {
		if p[i] > alpha/float64(len(order)-k) {
			break
		}
		reject[i] = true
	}
	return reject
}
