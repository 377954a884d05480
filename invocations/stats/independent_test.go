package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/invocations/testsize"
)

// launches returns n times of about 100 ns with a spread of 1 %. A share of them is off by a third.
func someLaunches(rng *rand.Rand, n int, ratio, off float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 100 * ratio * math.Exp(0.01*rng.NormFloat64())
		if rng.Float64() < off {
			x[i] *= 1.33
		}
	}
	return x
}

// TestIndependentRates counts how often equal runs are called different, and different ones equal.
func TestIndependentRates(t *testing.T) {
	countsRates(t)
	trials := testsize.Of(500, 2000)
	for _, c := range []struct {
		n           int
		off         float64
		ratio       float64
		least, most float64 // rate of p < 0.05
	}{
		{5, 0, 1, 0, 0.055}, {10, 0, 1, 0, 0.055}, {5, 0.1, 1, 0, 0.055}, {10, 0.1, 1, 0, 0.055},
		{3, 0, 1, 0, 0.06}, {10, 0, 1.02, 0.85, 1}, {5, 0, 1.05, 0.9, 1}, {10, 0.1, 1.03, 0.8, 1},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(c.n)))
		alarms, outside := 0, 0
		for range trials {
			d := Independent(someLaunches(rng, c.n, 1, c.off), someLaunches(rng, c.n, c.ratio, c.off), 0, 0)
			if d.P < 0.05 {
				alarms++
			}
			if (d.P < 0.05) != (d.Low > 1 || d.High < 1) {
				t.Fatalf("p is %v, and the interval %v to %v", d.P, d.Low, d.High)
			}
			if d.Low > c.ratio || d.High < c.ratio {
				outside++
			}
		}
		t.Logf("%d launches, %.0f %% off, ratio %.2f: of %d trials, %d alarms, and %d intervals miss", c.n, 100*c.off,
			c.ratio, trials, alarms, outside)
		if alarms < testsize.AtLeast(trials, c.least) || alarms > testsize.AtMost(trials, c.most) {
			t.Errorf("%+v: %d of %d runs were called different", c, alarms, trials)
		}
		if most := testsize.AtMost(trials, 0.06); outside > most {
			t.Errorf("%+v: %d of %d intervals miss the ratio, want at most %d", c, outside, trials, most)
		}
	}
}

func TestIndependentFloor(t *testing.T) {
	old, fresh := []float64{100, 100, 100, 100, 100}, []float64{102, 102, 102, 102, 102}
	if d := Independent(old, fresh, 0, 0); d.P != 0 || d.Low < 1.0199 {
		t.Errorf("launches without scatter: %+v", d)
	}
	if d := Independent(old, fresh, 0.03, 0.03); d.P < 0.05 || d.Low > 1 || math.Abs(d.Ratio-1.02) > 1e-12 {
		t.Errorf("the runs say that they may differ by 3 %%: %+v", d)
	}
	if d := Independent(old[:1], fresh, 0, 0); !math.IsNaN(d.P) || !math.IsInf(d.High, 1) || math.Abs(d.Ratio-1.02) > 1e-12 {
		t.Errorf("a single launch has an interval: %+v", d)
	}
	if d := Independent([]float64{-1, 0, math.NaN()}, fresh, 0, 0); !math.IsNaN(d.Ratio) {
		t.Errorf("no positive time: %+v", d)
	}
}

func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.041, 0.001, math.NaN(), 0.039, 0.008, 0.9}
	if got, want := BenjaminiHochberg(p, 0.05), []bool{false, true, false, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := BenjaminiHochberg([]float64{0.04, 0.05, 0.03}, 0.05), []bool{true, true, true}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
