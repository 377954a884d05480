package stats

import (
	"math"
	"testing"
)

// TestScatterInTurns: what rows and turns explain does not count, and what is left does.
func TestScatterInTurns(t *testing.T) {
	turn, row := []float64{1, 1.1, 0.9, 1.3, 1, 0.8, 1.05}, []float64{100, 107, 150, 90, 95}
	var explained, off [][]float64
	for r, level := range row {
		var one, other []float64
		for i, factor := range turn {
			one = append(one, level*factor)
			other = append(other, level*factor*(1+0.01*float64((7*r+5*i+3*r*i)%5-2)))
		}
		explained, off = append(explained, one), append(off, other)
	}
	explained[2][1] = math.NaN()
	explained[1] = explained[1][:4]
	if got := ScatterInTurns(explained); got > 1e-12 {
		t.Errorf("%g is left where rows and turns explain all", got)
	}
	if got := ScatterInTurns(off); got < 0.005 || got > 0.02 {
		t.Errorf("%g is left of 0.02", got)
	}
	for _, nothing := range [][][]float64{nil, {nil, nil}, {{1}, {2}}, {{math.NaN()}, {0, -1}}} {
		if got := ScatterInTurns(nothing); got != 0 {
			t.Errorf("%g is left of %v", got, nothing)
		}
	}
	if got := BiasInTurns(explained[:2]); math.Abs(got-math.Log(1.07)) > 1e-9 {
		t.Errorf("rows are %g apart, want log 1.07", got)
	}
	if got := BiasInTurns([][]float64{{1, 1.2, 1.1}, {1, 1.2, 1.1}, {3, 3}}); got > 1e-9 {
		t.Errorf("equal rows are %g apart", got)
	}
	if got := Scatter([]float64{100, 101, 99, 100}); math.Abs(got-0.0082) > 0.0002 {
		t.Errorf("figures scatter by %g instead of 0.0082", got)
	}
}
