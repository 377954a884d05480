package stats

import (
	"math"
	"slices"
	"testing"
)

func TestCourse(t *testing.T) {
	rising := make([]float64, 30)
	for i := range rising {
		rising[i] = float64(100 + 10*i)
	}
	falling := slices.Clone(rising)
	slices.Reverse(falling)
	rare := slices.Repeat([]float64{10, 10, 10, 10, 210}, 6)
	for _, c := range []struct {
		name              string
		samples           []float64
		drift, unevenness float64
	}{
		{"steady", slices.Repeat([]float64{10}, 30), 1, 1},
		{"rising", rising, 345.0 / 145, 1},
		{"falling", falling, 145.0 / 345, 1},
		{"one of five far longer", rare, 1, 5},
		{"too few", []float64{1, 2, 3, 50}, 1, 0},
		{"none", nil, 1, 0},
		{"no time left beside the overhead", slices.Repeat([]float64{-0.1, 0.1}, 20), 1, 1},
	} {
		if d, u := Drift(c.samples), Unevenness(c.samples); math.Abs(d-c.drift) > 1e-9 || math.Abs(u-c.unevenness) > 1e-9 {
			t.Errorf("%s: a drift of %v and an unevenness of %v, want %v and %v", c.name, d, u, c.drift, c.unevenness)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		factors []float64
		want    float64
	}{
		{[]float64{2, 1.5, 3}, 1.5}, {[]float64{0.5, 0.8}, 0.8}, {[]float64{2, 0.9, 2}, 1}, {[]float64{1, 2}, 1},
		{[]float64{3}, 3}, {nil, 1},
	} {
		if got := Common(c.factors); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.factors, got, c.want)
		}
	}
}

func TestWeightedMean(t *testing.T) {
	for _, c := range []struct {
		name            string
		values, weights []float64
		want            [3]float64 // mean, error, number
	}{
		{"none", nil, nil, [3]float64{}},
		{"of no weight", []float64{3, 4}, []float64{0, 0}, [3]float64{}},
		{"equal weights", []float64{1, 2, 3}, []float64{5, 5, 5}, [3]float64{2, math.Sqrt(1.0 / 3), 3}},
		{"one counts for most", []float64{1, 4}, []float64{98, 2},
			[3]float64{1.06, 0.98 * 0.06 * math.Sqrt2 * math.Sqrt(10000/(10000-9608.0)), 10000 / 9608.0}},
		{"one that counts for nothing", []float64{1, 1, 9}, []float64{1, 1, 0}, [3]float64{1, 0, 2}},
	} {
		mean, err, number := WeightedMean(c.values, c.weights)
		for i, got := range []float64{mean, err, number} {
			if math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, %v, %v, want %v", c.name, mean, err, number, c.want)
				break
			}
		}
	}
}
