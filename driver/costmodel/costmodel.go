// Package costmodel fits the cost in cycles of an operation to a sweep of its parameters, and estimates configurations
// that were not measured. Every estimate comes with its expected error, which was measured by cross-validation.
//
// Four models stand for choice. All are sums of terms such as m·n·r·c with weights w ≥ 0 (see Term):
//
//   - nnls minimizes Σ (predicted − measured)², the fit of the published parameters;
//   - relative minimizes Σ (predicted / measured − 1)² on the same terms;
//   - extended does so on more terms (segments, constants, work for each row or column);
//   - hybrid multiplies extended by exp(trees), boosted regression trees on log(measured / extended).
//
// The sum of terms carries what is known of the machine beyond the sweep; trees only correct it, and are constant
// outside of the sweep. Fit chooses one of them by cross-validation.
//
// Groups: rows that have the same shape (t, z, m, n, k, r, c, u, or all variables of a model of products) are in one
// group whatever their formats, fidelity or numbers of non-zeros, and a group is never split. So a row is never
// predicted by a model that has seen its shape.
//
// The package reads tables (package table) and knows nothing of the runtimes, the driver and the command line.
package costmodel

import (
	"fmt"
	"math"
	"slices"

	"zonemark/driver/costmodel/table"
	"zonemark/driver/costmodel/trees"
)

// Name is the name of a model.
type Name string

// The models, the simplest first.
const (
	NNLS     Name = "nnls"
	Relative Name = "relative"
	Extended Name = "extended"
	Hybrid   Name = "hybrid"
)

// Names returns the names of all models, the simplest first.
func Names() []Name { return []Name{NNLS, Relative, Extended, Hybrid} }

// Options say how to fit. The zero value is ready for use.
type Options struct {
	Kind         Kind     // Auto: what the columns say
	Architecture string   // tells the two formulas of a matrix multiplication apart; may be empty
	Operation    string   // name for reports and files
	Variables    []string // columns of a model of products; their number and order are part of the model
	Models       []Name   // to choose from; nil stands for all
	Folds        int      // of the cross-validation; 0 stands for 5
	GroupBy      []string // columns whose equal values make a group; nil stands for the shape
	Seed         uint64   // of the choice of folds and of the trees
	Unit         string   // of what was measured, for reports; empty stands for cycles
}

// Model is a fitted model with what is known of its errors. It is data: files hold it as JSON. Use NewEstimator or
// Estimate to apply it.
type Model struct {
	Operation    string          `json:"operation,omitempty"`
	Architecture string          `json:"architecture,omitempty"`
	Unit         string          `json:"unit,omitempty"` // of estimates and weights; empty stands for cycles
	Kind         Kind            `json:"kind"`
	Model        Name            `json:"model"`
	Variables    []string        `json:"variables,omitempty"`
	Weights      []Weight        `json:"weights"`
	Inputs       []Input         `json:"inputs,omitempty"` // of the trees
	Trees        *trees.Ensemble `json:"trees,omitempty"`
	Ranges       []Range         `json:"ranges"`
	Rows         int             `json:"rows"`
	Groups       int             `json:"groups"`
	InSample     Errors          `json:"in_sample"`
	// CrossValidated are the errors on rows that neither fitted nor chose the model that predicted them: within each
	// fold, the model was chosen and fitted on the other folds. Nil if there are fewer than three groups, or if the
	// chosen model cannot be fitted to a fold.
	CrossValidated *Errors `json:"cross_validated,omitempty"`
	// Extrapolated are the errors on the slowest 30 % of the rows of the same model fitted to the fastest 70 %. Nil if
	// there are fewer than 10 rows.
	Extrapolated *Errors     `json:"extrapolated,omitempty"`
	Candidates   []Candidate `json:"candidates"`
	Warnings     []string    `json:"-"`
	// Predicted are the predictions for the fitted rows that CrossValidated was computed from: each by a model that has
	// not seen the row's shape. Nil if CrossValidated is. Files do not hold them.
	Predicted []float64 `json:"-"`
}

// Weight is a term and the cycles that it costs each time.
type Weight struct {
	Term      string  `json:"term"`
	Parameter string  `json:"parameter,omitempty"` // its name in params files
	Cycles    float64 `json:"cycles"`
}

// Candidate is a model that could have been chosen.
type Candidate struct {
	Model   Name     `json:"model"`
	Weights []Weight `json:"weights"` // fitted to all rows
	// CrossValidated is the mean absolute error in percent over all folds. The choice is made by it, so that the one of
	// the chosen model is a little too good. 0 if there were too few groups.
	CrossValidated float64 `json:"cross_validated"`
}

// Errors summarize predictions. Figures are in percent of what was measured.
type Errors struct {
	MAPE  float64 `json:"mape"` // mean of |predicted − measured| / measured
	P95   float64 `json:"p95"`  // below which 95 % of the rows are
	Max   float64 `json:"max"`
	Worst Worst   `json:"worst"`
	// Low and High are the factors on a prediction between which 90 % of the measured rows lie.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Worst is the row with the largest error.
type Worst struct {
	Row        int               `json:"row"`  // from 0
	Line       int               `json:"line"` // in the file
	Measured   float64           `json:"measured"`
	Predicted  float64           `json:"predicted"`
	Parameters map[string]string `json:"parameters"` // what changes from row to row
}

// choiceMargin is the share by which a less simple model must be better to be chosen.
const choiceMargin = 0.03

// Fit fits a model to a table.
func Fit(t *table.Table, o Options) (*Model, error) {
	d, err := newData(t, o)
	if err != nil {
		return nil, err
	}
	all := allRows(t.Rows)
	c := d.crossValidate(all)
	fits := d.fitAll(all)
	chosen := c.best(fits)
	if chosen < 0 {
		return nil, fmt.Errorf("%s: no model can be fitted: %w", t.File, fits[0].err)
	}
	f := fits[chosen]
	m := &Model{
		Operation: o.Operation, Architecture: o.Architecture, Unit: o.Unit, Kind: d.kind, Model: f.name,
		Variables: o.Variables,
		Weights:   f.named(), Ranges: ranges(t, d.kind, o.Variables), Rows: t.Rows, Groups: d.groups,
	}
	if f.trees != nil {
		m.Inputs, m.Trees = d.inputs, f.trees
	}
	m.InSample = d.errors(all, f.predict(d, all))
	if c.nested != nil {
		e := d.errors(all, c.nested)
		m.CrossValidated, m.Predicted = &e, c.nested
	}
	m.Extrapolated = d.extrapolate(f.name)
	for i, f := range fits {
		if f.err != nil {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s: model %s: %v", t.File, f.name, f.err))
			continue
		}
		m.Candidates = append(m.Candidates, Candidate{f.name, f.named(), c.mape(i)})
	}
	m.Warnings = append(m.Warnings, d.warnings()...)
	return m, nil
}

func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// errors compares predictions with what was measured on the same rows.
func (d *data) errors(rows []int, predicted []float64) Errors {
	relative := make([]float64, len(rows))
	ratios := make([]float64, len(rows))
	var e Errors
	e.Max = -1
	for i, r := range rows {
		measured := d.measured[r]
		relative[i] = 100 * math.Abs(predicted[i]-measured) / measured
		ratios[i] = math.Inf(1)
		if predicted[i] > 0 {
			ratios[i] = measured / predicted[i]
		}
		e.MAPE += relative[i] / float64(len(rows))
		if relative[i] > e.Max {
			e.Max = relative[i]
			e.Worst = Worst{Row: r, Line: d.table.Lines[r], Measured: measured, Predicted: predicted[i]}
		}
	}
	slices.Sort(relative)
	slices.Sort(ratios)
	e.P95 = quantile(relative, 0.95)
	e.Low, e.High = min(quantile(ratios, 0.05), math.MaxFloat64), min(quantile(ratios, 0.95), math.MaxFloat64)
	e.Worst.Parameters = d.parameters(e.Worst.Row)
	return e
}

// quantile returns the value at or above a share q of n sorted values when one more is drawn: number ⌈q(n+1)⌉ for the
// upper half, and the mirror of it for the lower one (as in split conformal prediction).
func quantile(sorted []float64, q float64) float64 {
	n := len(sorted)
	at := int(math.Ceil(q*float64(n+1))) - 1
	if q < 0.5 {
		at = int(math.Floor(q*float64(n+1))) - 1
	}
	return sorted[min(max(at, 0), n-1)]
}
