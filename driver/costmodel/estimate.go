package costmodel

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/driver/costmodel/table"
	"zonemark/driver/costmodel/trees"
)

// Estimate is the estimate of a model for one configuration.
type Estimate struct {
	Cycles float64
	// Low and High are the bounds that hold 90 % of rows in the cross-validation; outside of the fitted range those of
	// the extrapolation test. Both are 0 if nothing was tested.
	Low, High float64
	// ErrorPercent is the mean absolute error of the same test in percent, or NaN.
	ErrorPercent float64
	Outside      []string // why the configuration is outside of the fitted range; nil if it is within
}

// Range holds the values of one column in the fitted rows.
type Range struct {
	Column string   `json:"column"`
	Low    float64  `json:"low,omitempty"`
	High   float64  `json:"high,omitempty"`
	Texts  []string `json:"texts,omitempty"` // of a column of text
}

// ranges describes the columns that make a configuration. Columns of text with very many values are left out.
func ranges(t *table.Table, k Kind, variables []string) []Range {
	var out []Range
	used := shapeVariables()
	if k == Products {
		used = variables
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		switch {
		case c.Number != nil && slices.Contains(used, c.Name) && !slices.ContainsFunc(c.Number, math.IsNaN):
			out = append(out, Range{Column: c.Name, Low: slices.Min(c.Number), High: slices.Max(c.Number)})
		case c.Text != nil && c.Role == table.Choice && k != Products:
			if texts := distinct(c.Text); len(texts) <= mostTexts {
				out = append(out, Range{Column: c.Name, Texts: texts})
			}
		}
	}
	return out
}

// Estimator applies a model. Several goroutines may share it.
type Estimator struct {
	model     *Model
	terms     []Term
	weights   []float64
	predictor *trees.Predictor
}

// NewEstimator makes a model ready for use. It returns an error if the model, which may come from a file, names terms
// that its kind has not, or has trees that do not fit its inputs.
func (m *Model) NewEstimator() (*Estimator, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	e := &Estimator{model: m}
	known := append(m.Kind.published(m.Variables), m.Kind.extended(m.Variables)...)
	var names []string
	for _, w := range m.Weights {
		names, e.weights = append(names, w.Term), append(e.weights, w.Cycles)
	}
	var err error
	if e.terms, err = resolveTerms(known, names); err != nil {
		return nil, err
	}
	if m.Trees != nil {
		e.predictor = trees.NewPredictor(m.Trees, len(m.Inputs))
	}
	return e, nil
}

// check returns an error if the parts of a model do not fit together.
func (m *Model) check() error {
	switch {
	case !slices.Contains(Kinds(), m.Kind):
		return fmt.Errorf("the kind %q is unknown", m.Kind)
	case m.Kind == Products && (len(m.Variables) == 0 || len(m.Variables) > mostVariables):
		return fmt.Errorf("%d variables: want 1 to %d", len(m.Variables), mostVariables)
	case len(m.Weights) == 0:
		return errors.New("there are no weights")
	case (m.Trees != nil) != (m.Model == Hybrid):
		return fmt.Errorf("model %q: hybrids have trees, and others have none", m.Model)
	}
	for _, w := range m.Weights {
		if !(w.Cycles >= 0) || math.IsInf(w.Cycles, 0) {
			return fmt.Errorf("the weight of %s is %g: want 0 or more", w.Term, w.Cycles)
		}
	}
	if m.Trees == nil {
		return nil
	}
	known := m.Kind.inputTerms(m.Variables)
	for _, in := range m.Inputs {
		if in.Term == "" {
			continue
		}
		if _, err := resolveTerms(known, []string{in.Term}); err != nil {
			return err
		}
	}
	return m.Trees.Check(len(m.Inputs))
}

// Estimate estimates one table. To estimate several, make an Estimator.
func (m *Model) Estimate(t *table.Table) ([]Estimate, error) {
	e, err := m.NewEstimator()
	if err != nil {
		return nil, err
	}
	return e.Estimate(t)
}

// chunk is the number of rows that a goroutine takes at once.
const chunk = 4096

// Estimate estimates all rows of a table; the table needs the columns that the model was fitted to, and no runtime. An
// error names the row whose estimate is zero or not finite.
func (e *Estimator) Estimate(t *table.Table) ([]Estimate, error) {
	s, err := e.model.Kind.space(t, e.model.Variables)
	if err != nil {
		return nil, err
	}
	if err := e.present(t); err != nil {
		return nil, err
	}
	out := make([]Estimate, t.Rows)
	errs := make([]error, (t.Rows+chunk-1)/chunk)
	var jobs []func()
	for i := range errs {
		jobs = append(jobs, func() { errs[i] = e.rows(s, out, i*chunk, min((i+1)*chunk, t.Rows)) })
	}
	parallel(jobs)
	return out, firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// present returns an error if the table lacks a column that trees ask about.
func (e *Estimator) present(t *table.Table) error {
	if e.predictor == nil {
		return nil
	}
	for _, in := range e.model.Inputs {
		c := t.Column(in.Column)
		switch {
		case strings.Contains(in.Term, "phases") && t.Column("math_fidelity") == nil:
			return t.Require("math_fidelity")
		case in.Term != "":
		case c == nil || in.Text == nil && c.Number == nil:
			if err := t.Require(in.Column); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows estimates some rows.
func (e *Estimator) rows(s *space, out []Estimate, from, end int) error {
	points := s.points(make([]point, 0, end-from), from, end)
	factors := make([]float64, len(points))
	if e.predictor != nil {
		part := s.table.Slice(from, end)
		columns, err := inputColumns(e.model.Kind, e.model.Variables, e.model.Inputs, part, points)
		if err != nil {
			return err
		}
		e.predictor.Predict(columns, factors)
	}
	within, beyond := tested(e.model.CrossValidated), tested(e.model.Extrapolated)
	outside := e.model.outside(s.table, from, end)
	for i := range points {
		cycles := 0.0
		for j, term := range e.terms {
			cycles += e.weights[j] * term.value(&points[i])
		}
		cycles *= math.Exp(factors[i])
		if !(cycles > 0) || math.IsInf(cycles, 0) {
			return fmt.Errorf("%s: the estimate is %g cycles", s.table.Where(from+i), cycles)
		}
		known := within
		if outside[i] != nil {
			known = beyond
		}
		out[from+i] = Estimate{cycles, cycles * known.Low, cycles * known.High, known.MAPE, outside[i]}
	}
	return nil
}

// tested returns the errors, or a value that stands for none.
func tested(e *Errors) Errors {
	if e == nil {
		return Errors{MAPE: math.NaN()}
	}
	return *e
}

// Outside says for each row of a table why it is outside of the fitted range; nil if it is within.
func (m *Model) Outside(t *table.Table) [][]string { return m.outside(t, 0, t.Rows) }

func (m *Model) outside(t *table.Table, from, end int) [][]string {
	out := make([][]string, end-from)
	for _, r := range m.Ranges {
		c := t.Column(r.Column)
		switch {
		case c == nil: // a variable that is 1, or a choice that the model does not ask about
		case c.Number != nil && r.Texts == nil:
			for i, v := range c.Number[from:end] {
				if v < r.Low || v > r.High {
					out[i] = append(out[i], fmt.Sprintf("%s = %g; fitted %g to %g", r.Column, v, r.Low, r.High))
				}
			}
		case c.Text != nil && r.Texts != nil:
			for i, text := range c.Text[from:end] {
				if !slices.Contains(r.Texts, text) {
					why := fmt.Sprintf("%s = %s; fitted %s", r.Column, text, strings.Join(r.Texts, ", "))
					out[i] = append(out[i], why)
				}
			}
		}
	}
	return out
}
