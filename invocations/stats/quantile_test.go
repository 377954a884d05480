package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A quantile of values in any order is that of sorted ones, whatever they are like.
func TestQuantileOf(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	kinds := map[string]func(i, n int) float64{
		"random":       func(int, int) float64 { return random.NormFloat64() },
		"few values":   func(int, int) float64 { return float64(random.IntN(3)) },
		"equal":        func(int, int) float64 { return 7 },
		"in order":     func(i, _ int) float64 { return float64(i) },
		"reversed":     func(i, _ int) float64 { return float64(-i) },
		"up and down":  func(i, n int) float64 { return float64(min(i, n-i)) },
		"saw teeth":    func(i, _ int) float64 { return float64(i % 17) },
		"some unknown": func(i, _ int) float64 { return []float64{math.NaN(), float64(i)}[min(1, random.IntN(9))] },
		"infinite":     func(i, _ int) float64 { return []float64{math.Inf(1), math.Inf(-1), 1}[random.IntN(3)] },
	}
	for kind, value := range kinds {
		for _, n := range []int{0, 1, 2, 3, 11, 12, 13, 14, 20, 31, 50, 100, 399, 1000} {
			x := make([]float64, n)
			for i := range x {
				x[i] = value(i, n)
			}
			before, sorted := slices.Clone(x), slices.Sorted(slices.Values(x))
			for _, q := range []float64{0, 0.05, 0.5, 0.8, 0.99, 1} {
				got, want := QuantileOf(x, q), Quantile(sorted, q)
				if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%s: quantile %g of %d values is %g, want %g", kind, q, n, got, want)
				}
			}
			if !slices.EqualFunc(x, before, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
				t.Fatalf("%s: the order of %d values has changed", kind, n)
			}
		}
	}
}

// BenchmarkMedian takes the median of as many values as a long measurement has samples.
func BenchmarkMedian(b *testing.B) {
	random := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	for b.Loop() {
		Median(x)
	}
}
