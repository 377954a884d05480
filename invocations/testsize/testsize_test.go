package testsize

import (
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		variable string
		want     int
	}{{"", 2}, {"1", 3}} {
		t.Setenv(Variable, c.variable)
		if got := Of(2, 3); got != c.want || Large() != (c.want == 3) {
			t.Errorf("%s=%s: %d", Variable, c.variable, got)
		}
	}
}

// The bound of a count is where the tail of the binomial distribution, summed from its other end, is below one in a
// million for the first time.
func TestMost(t *testing.T) {
	for _, c := range []struct {
		trials int
		chance float64
		want   int
	}{
		{20, 0.5, 19}, // all of 20 have it in one of 2^20 tests, which is less than a millionth
		{19, 0.5, 19}, // 2^-19 is more
		{100, 0, 0},   // what cannot happen
		{100, 1, 100}, // what must
		{1, 1e-7, 0},  // a single trial
		{1, 1e-5, 1},
		{0, 0.5, 0},
	} {
		if got := Most(c.trials, c.chance); got != c.want {
			t.Errorf("%d trials of chance %g: at most %d, want %d", c.trials, c.chance, got, c.want)
		}
		if got := Least(c.trials, 1-c.chance); got != c.trials-c.want {
			t.Errorf("%d trials of chance %g: at least %d, want %d", c.trials, 1-c.chance, got, c.trials-c.want)
		}
	}
	for _, trials := range []int{30, 100, 2000} {
		for _, chance := range []float64{0.01, 0.05, 0.5, 0.9} {
			most, below, term := Most(trials, chance), 0.0, math.Pow(1-chance, float64(trials))
			sums := make([]float64, trials+1) // chance of k or fewer
			for k := range sums {
				below += term
				sums[k] = below
				term *= float64(trials-k) / float64(k+1) * chance / (1 - chance)
			}
			if sums[trials] == 0 {
				continue // too small a number to begin with
			}
			if 1-sums[most] > 1.001e-6 || most > 0 && 1-sums[most-1] < 0.999e-6 {
				t.Errorf("%d trials of chance %g: more than %d have chance %g", trials, chance, most, 1-sums[most])
			}
		}
	}
}

// The large size takes shares as they are, the small one leaves room for chance.
func TestAtMost(t *testing.T) {
	t.Setenv(Variable, "")
	if most, least := AtMost(100, 0.1), AtLeast(100, 0.9); most != Most(100, 0.1) || most < 15 || least != 100-most {
		t.Errorf("small: at most %d, at least %d", most, least)
	}
	t.Setenv(Variable, "1")
	if most, least := AtMost(1000, 0.014), AtLeast(1000, 0.9); most != 14 || least != 900 {
		t.Errorf("large: at most %d, at least %d", most, least)
	}
}
