package nnls

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSolve(t *testing.T) {
	for _, c := range []struct {
		name string
		x    [][]float64
		y    []float64
		want []float64
	}{
		{"exact", [][]float64{{1, 0}, {0, 1}, {1, 1}}, []float64{2, 3, 5}, []float64{2, 3}},
		{"a negative weight becomes 0", [][]float64{{1, 1}, {1, 2}, {1, 3}}, []float64{3, 2, 1}, []float64{2, 0}},
		{"all negative", [][]float64{{1}, {2}}, []float64{-1, -2}, []float64{0}},
		{"a column of zeros", [][]float64{{0, 1}, {0, 2}}, []float64{2, 4}, []float64{0, 2}},
		{"equal columns: the first", [][]float64{{1, 1}, {2, 2}, {3, 3}}, []float64{2, 4, 6}, []float64{2, 0}},
		{"a sum of columns", [][]float64{{1, 0, 1}, {0, 1, 1}, {1, 1, 2}}, []float64{1, 1, 2}, []float64{0, 0, 1}},
		{"one row", [][]float64{{2, 1}}, []float64{4}, []float64{2, 0}},
		{"scales far apart", [][]float64{{1e9, 1e-3}, {1e9, 2e-3}, {2e9, 1e-3}}, []float64{2, 3, 3},
			[]float64{1e-9, 1e3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Solve(c.x, c.y)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				if math.Abs(got[i]-c.want[i]) > 1e-9*max(1, math.Abs(c.want[i])) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

// TestOptimal checks the conditions of Karush, Kuhn and Tucker on random problems: no weight is negative, the gradient
// is 0 where a weight is positive, and points away from 0 elsewhere.
func TestOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rows, columns := 1+random.IntN(40), 1+random.IntN(12)
		x, y := make([][]float64, rows), make([]float64, rows)
		for i := range x {
			x[i] = make([]float64, columns)
			for j := range x[i] {
				x[i][j] = math.Floor(random.Float64()*8) * math.Pow(10, float64(j%4))
			}
			y[i] = random.NormFloat64()*50 + 20
		}
		w, err := Solve(x, y)
		if err != nil {
			t.Fatal(err)
		}
		for j := range columns {
			gradient, scale := 0.0, 1e-300
			for i := range x {
				predicted := 0.0
				for k, v := range w {
					predicted += v * x[i][k]
				}
				gradient += x[i][j] * (predicted - y[i])
				scale += math.Abs(x[i][j]) * (math.Abs(y[i]) + math.Abs(predicted))
			}
			switch {
			case w[j] < 0:
				t.Errorf("weight %d is %g", j, w[j])
			case w[j] > 0 && math.Abs(gradient)/scale > 1e-8:
				t.Errorf("weight %d is %g with the gradient %g", j, w[j], gradient/scale)
			case w[j] == 0 && gradient/scale < -1e-5:
				t.Errorf("weight %d is 0 with the gradient %g", j, gradient/scale)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		x [][]float64
		y []float64
	}{
		"no rows":    {nil, nil},
		"no columns": {[][]float64{{}}, []float64{1}},
		"lengths":    {[][]float64{{1}}, []float64{1, 2}},
		"NaN":        {[][]float64{{math.NaN()}}, []float64{1}},
		"overflow":   {[][]float64{{1e200}}, []float64{1}},
	} {
		if w, err := Solve(c.x, c.y); err == nil {
			t.Errorf("%s: got %v, want an error", name, w)
		}
	}
}
