package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The share of the ways to change signs is that of trying each of them.
func TestFlips(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := make([]float64, 1+random.IntN(12))
		for i := range x {
			x[i] = math.Round(4*random.NormFloat64()) + 1 // whole numbers, whose sums are exact, and often equal
		}
		if sumOf(x) == 0 {
			x[0]++ // SymmetryTest does not ask where it is
		}
		as, ways := 0, 1<<len(x)
		for way := range ways {
			other := 0.0
			for i, v := range x {
				other += v * float64(1-2*(way>>i&1))
			}
			if math.Abs(other) >= math.Abs(sumOf(x)) {
				as++
			}
		}
		if got, want := flipTest(x), float64(as)/float64(ways); got != want {
			t.Errorf("%v: %g, want %g", x, got, want)
		}
	}
}

func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
