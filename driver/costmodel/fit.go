package costmodel

import (
	"errors"
	"math"

	"zonemark/driver/costmodel/nnls"
	"zonemark/driver/costmodel/trees"
)

// growth returns how the trees of a hybrid are grown. The figures were chosen on all published sweeps at once. 200
// trees at a rate of 0.1 and half of the columns are no better; trees of depth 4 lose 0.2 points on the sparse sweep.
func growth(seed uint64) trees.Options {
	return trees.Options{
		Count: 120, Depth: 5, Rate: 0.15, LeafRows: 2, Ridge: 1, Rows: 0.7, Columns: 0.7, Seed: seed,
	}
}

// fitted is a model fitted to some rows. err is set if it cannot be.
type fitted struct {
	name    Name
	terms   []Term
	weights []float64
	trees   *trees.Ensemble
	err     error
}

// fitAll fits all models that may be chosen.
func (d *data) fitAll(rows []int) []fitted {
	fits := make([]fitted, len(d.options.Models))
	for i, name := range d.options.Models {
		fits[i] = d.fit(name, rows)
	}
	return fits
}

func (d *data) fit(name Name, rows []int) fitted {
	f := fitted{name: name, terms: d.kind.published(d.options.Variables)}
	values := d.published
	if name == Extended || name == Hybrid {
		f.terms, values = d.kind.extended(d.options.Variables), d.extended
	}
	f.weights, f.err = weigh(values, d.measured, rows, name != NNLS)
	if f.err == nil && name == Hybrid {
		f.trees, f.err = d.grow(f.weights, rows)
	}
	return f
}

// weigh fits weights to rows: by absolute errors, or by relative ones, where each row is divided by what was measured.
func weigh(values [][]float64, measured []float64, rows []int, relative bool) ([]float64, error) {
	x, y := make([][]float64, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		if x[i], y[i] = values[r], measured[r]; relative {
			x[i], y[i] = make([]float64, len(values[r])), 1
			for j, v := range values[r] {
				x[i][j] = v / measured[r]
			}
		}
	}
	return nnls.Solve(x, y)
}

var errZero = errors.New("the terms add up to zero in some rows")

// grow fits trees to the logarithm of what a sum of terms leaves over.
func (d *data) grow(weights []float64, rows []int) (*trees.Ensemble, error) {
	target := make([]float64, len(rows))
	for i, r := range rows {
		sum := dot(weights, d.extended[r])
		if sum <= 0 {
			return nil, errZero
		}
		target[i] = math.Log(d.measured[r] / sum)
	}
	if len(d.columns) == 0 {
		return nil, errors.New("all rows have the same values, so trees have nothing to distinguish rows by")
	}
	columns := make([][]float64, len(d.columns))
	for j, c := range d.columns {
		columns[j] = make([]float64, len(rows))
		for i, r := range rows {
			columns[j][i] = c[r]
		}
	}
	return trees.Fit(columns, target, growth(d.options.Seed))
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// predict returns the predictions for rows of the data that the fit came from.
func (f *fitted) predict(d *data, rows []int) []float64 {
	values := d.published
	if f.name == Extended || f.name == Hybrid {
		values = d.extended
	}
	out := make([]float64, len(rows))
	x := make([]float64, len(d.columns))
	for i, r := range rows {
		out[i] = dot(f.weights, values[r])
		if f.trees != nil {
			for j, c := range d.columns {
				x[j] = c[r]
			}
			out[i] *= math.Exp(f.trees.Predict(x))
		}
	}
	return out
}

// named returns the weights with the names of their terms.
func (f *fitted) named() []Weight {
	var out []Weight
	for i, w := range f.weights {
		out = append(out, Weight{f.terms[i].Name, f.terms[i].Weight, w})
	}
	return out
}
