package costmodel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
)

// Comparison says how far the weights of a parameter file are from a sweep, for the rows that they apply to.
type Comparison struct {
	File         string // of the sweep
	Architecture string // of the parameter file; empty if it is not known
	Asked        string // the operation of the rows
	Operation    string // whose weights were used: nop if the parameter file lacks the operation
	Set          string // the attribute set
	Rows         int
	Errors       Errors
	// Bias is the median of estimated / measured − 1 in percent: −44 says that estimates are 44 % too low.
	Bias float64
	// Fitted is the mean absolute error in percent of the same formula fitted to these rows (model relative), which no
	// other weights can do much better than. NaN if it cannot be fitted.
	Fitted   float64
	Warnings []string
}

// Against compares a sweep with the estimates of a parameter file, in one comparison for each operation and attribute
// set that the rows have. Sort the comparisons of several sweeps with WorstFirst.
func Against(t *table.Table, id Identity, f *params.File) ([]Comparison, error) {
	if t.Runtime == nil {
		return nil, fmt.Errorf("%s: line 1: no column runtime or total-runtime: nothing to compare with", t.File)
	}
	descriptors, err := Describe(t, id)
	if err != nil {
		return nil, err
	}
	type key struct{ asked, operation, set string }
	type part struct {
		rows      []int
		estimates []float64
		warnings  []string
	}
	parts := map[key]*part{}
	var order []key
	for i := range descriptors {
		e, err := f.Estimate(&descriptors[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Where(i), err)
		}
		k := key{descriptors[i].Operation, e.Operation, e.Set}
		p := parts[k]
		if p == nil {
			p = &part{warnings: e.Warnings}
			parts[k], order = p, append(order, k)
		}
		p.rows, p.estimates = append(p.rows, i), append(p.estimates, float64(e.Cycles))
	}
	var out []Comparison
	for _, k := range order {
		p := parts[k]
		sub := t.Select(p.rows)
		d := &data{table: sub, measured: sub.Runtime}
		c := Comparison{
			File: t.File, Architecture: f.Architecture, Asked: k.asked, Operation: k.operation, Set: k.set,
			Rows: len(p.rows), Warnings: p.warnings, Errors: d.errors(allRows(sub.Rows), p.estimates), Bias: bias(sub.Runtime, p.estimates),
			Fitted: fittedError(sub, f.Architecture),
		}
		c.Errors.Worst.Row = p.rows[c.Errors.Worst.Row]
		out = append(out, c)
	}
	return out, nil
}

// WorstFirst sorts comparisons by their mean errors, the largest first.
func WorstFirst(comparisons []Comparison) {
	slices.SortStableFunc(comparisons, func(a, b Comparison) int { return cmp.Compare(b.Errors.MAPE, a.Errors.MAPE) })
}

func bias(measured, estimated []float64) float64 {
	ratios := make([]float64, len(measured))
	for i, m := range measured {
		ratios[i] = estimated[i] / m
	}
	slices.Sort(ratios)
	middle := len(ratios) / 2
	return 100 * ((ratios[middle]+ratios[(len(ratios)-1)/2])/2 - 1)
}

// fittedError returns the error of the published terms fitted to the rows themselves.
func fittedError(t *table.Table, architecture string) float64 {
	d, err := newData(t, Options{Architecture: architecture, Models: []Name{Relative}})
	if err != nil {
		return math.NaN()
	}
	rows := allRows(t.Rows)
	f := d.fit(Relative, rows)
	if f.err != nil {
		return math.NaN()
	}
	return d.errors(rows, f.predict(d, rows)).MAPE
}

var errNoParameters = errors.New("its terms have no names in parameter files")

// Parameters returns the weights of a fit as a parameter file holds them: those of the model of published terms, nnls
// or relative, with the lesser cross-validated error. An error is returned if the kind has no names for its weights.
func (m *Model) Parameters() ([]params.Weight, Name, error) {
	best := -1
	for i, c := range m.Candidates {
		linear := c.Model == NNLS || c.Model == Relative
		if linear && (best < 0 || c.CrossValidated < m.Candidates[best].CrossValidated*(1-choiceMargin)) {
			best = i
		}
	}
	if best < 0 {
		return nil, "", errors.New("neither nnls nor relative was fitted")
	}
	var weights []params.Weight
	for _, w := range m.Candidates[best].Weights {
		if w.Parameter == "" {
			return nil, "", fmt.Errorf("kind %s: %w", m.Kind, errNoParameters)
		}
		weights = append(weights, params.Weight{Name: w.Parameter, Value: w.Cycles})
	}
	return weights, m.Candidates[best].Model, nil
}
