package costmodel

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/driver/costmodel/table"
)

// data is a table made ready for fits.
type data struct {
	table     *table.Table
	kind      Kind
	options   Options
	measured  []float64
	published [][]float64 // the terms of each row
	extended  [][]float64
	inputs    []Input
	columns   [][]float64 // the inputs, by column
	group     []int
	groups    int
}

func newData(t *table.Table, o Options) (*data, error) {
	if t.Runtime == nil {
		return nil, fmt.Errorf("%s: line 1: no column runtime or total-runtime: nothing to fit to", t.File)
	}
	if o.Folds == 1 || o.Folds < 0 {
		return nil, fmt.Errorf("%d folds: want 2 or more", o.Folds)
	}
	d := &data{table: t, kind: o.Kind, options: o, measured: t.Runtime}
	if d.kind == Auto && len(o.Variables) > 0 {
		d.kind = Products
	} else if d.kind == Auto {
		d.kind = Recognize(t, o.Architecture)
	}
	if !slices.Contains(Kinds(), d.kind) {
		return nil, fmt.Errorf("unknown kind of operation %q: want one of %v", d.kind, Kinds())
	}
	if d.options.Folds == 0 {
		d.options.Folds = 5
	}
	if len(o.Models) == 0 {
		d.options.Models = Names()
	}
	for _, m := range d.options.Models {
		if !slices.Contains(Names(), m) {
			return nil, fmt.Errorf("unknown model %q: want one of %v", m, Names())
		}
	}
	d.options.Models = slices.DeleteFunc(Names(), func(n Name) bool { return !slices.Contains(d.options.Models, n) })
	s, err := d.kind.space(t, o.Variables)
	if err != nil {
		return nil, err
	}
	if t.Rows == 1 {
		return nil, fmt.Errorf("%s: one row is too little to fit a model to", t.Where(0))
	}
	points := s.points(nil, 0, t.Rows)
	d.published = values(d.kind.published(o.Variables), points)
	d.extended = values(d.kind.extended(o.Variables), points)
	d.inputs = d.kind.chooseInputs(t, points, o.Variables)
	if d.columns, err = inputColumns(d.kind, o.Variables, d.inputs, t, points); err != nil {
		return nil, err
	}
	if err := d.gather(); err != nil {
		return nil, err
	}
	if d.groups == 1 && len(d.inputs) == 0 {
		return nil, fmt.Errorf("%s: all %d rows have the same configuration: nothing to fit", t.File, t.Rows)
	}
	return d, nil
}

func values(terms []Term, points []point) [][]float64 {
	rows := make([][]float64, len(points))
	for i := range points {
		rows[i] = make([]float64, len(terms))
		for j, term := range terms {
			rows[i][j] = term.value(&points[i])
		}
	}
	return rows
}

// inputColumns computes the inputs of trees.
func inputColumns(k Kind, variables []string, inputs []Input, t *table.Table, points []point) ([][]float64, error) {
	known := k.inputTerms(variables)
	columns := make([][]float64, len(inputs))
	for j, in := range inputs {
		switch {
		case in.Term != "":
			terms, err := resolveTerms(known, []string{in.Term})
			if err != nil {
				return nil, err
			}
			columns[j] = make([]float64, len(points))
			for i := range points {
				columns[j][i] = terms[0].value(&points[i])
			}
		case in.Text != nil:
			texts := t.Text(in.Column)
			if texts == nil {
				return nil, errors.New(in.Column)
			}
			columns[j] = isText(texts, *in.Text)
		default:
			if err := t.Require(in.Column); err != nil {
				return nil, err
			}
			columns[j] = t.Number(in.Column)
		}
	}
	return columns, nil
}

// gather numbers the groups in the order of their first rows. A group is a shape, unless columns are named.
func (d *data) gather() error {
	var columns []*table.Column
	for _, name := range d.groupBy() {
		c := d.table.Column(name)
		if c == nil && d.options.GroupBy != nil {
			return d.table.Require(name)
		}
		if c != nil {
			columns = append(columns, c)
		}
	}
	numbers := map[string]int{}
	var key strings.Builder
	for i := range d.table.Rows {
		key.Reset()
		for _, c := range columns {
			key.WriteString(c.Cell(i) + "\x00")
		}
		number, known := numbers[key.String()]
		if !known {
			number = len(numbers)
			numbers[key.String()] = number
		}
		d.group = append(d.group, number)
	}
	d.groups = len(numbers)
	return nil
}

func (d *data) groupBy() []string {
	switch {
	case d.options.GroupBy != nil:
		return d.options.GroupBy
	case d.kind == Products:
		return d.options.Variables
	}
	return table.Shape()
}

// parameters returns what distinguishes a row: the columns that are not the same on all rows, were not measured, and
// do not repeat another one.
func (d *data) parameters(row int) map[string]string {
	parameters := map[string]string{}
	var named []*table.Column
	for _, name := range append(shapeVariables(), d.options.Variables...) {
		named = append(named, d.table.Column(name))
	}
	for i := range d.table.Columns {
		if c := &d.table.Columns[i]; c.Role == table.Choice {
			named = append(named, c)
		}
	}
	for i, c := range named {
		repeats := func(earlier *table.Column) bool {
			return earlier != nil && c.Number != nil && slices.Equal(earlier.Number, c.Number)
		}
		if c != nil && changes(c) && !slices.ContainsFunc(named[:i], repeats) {
			parameters[c.Name] = c.Cell(row)
		}
	}
	return parameters
}

func changes(c *table.Column) bool {
	if c.Number != nil {
		return slices.ContainsFunc(c.Number, func(v float64) bool {
			return v != c.Number[0] && !(math.IsNaN(v) && math.IsNaN(c.Number[0]))
		})
	}
	return slices.ContainsFunc(c.Text, func(s string) bool { return s != c.Text[0] })
}

// warnings says what a reader of the figures should know about the rows.
func (d *data) warnings() []string {
	var out []string
	if d.groups < 10 {
		out = append(out, fmt.Sprintf("%s: only %d shapes: the cross-validated error is rough", d.table.File, d.groups))
	}
	flat := !slices.ContainsFunc(d.measured, func(v float64) bool { return v != d.measured[0] })
	if flat {
		out = append(out, fmt.Sprintf("%s: all %d rows have the same runtime", d.table.File, d.table.Rows))
	}
	var unused []string
	for i := range d.table.Columns {
		c := &d.table.Columns[i]
		if c.Role == table.Unknown && changes(c) && !slices.Contains(d.options.Variables, c.Name) {
			unused = append(unused, c.Header)
		}
	}
	if len(unused) > 0 {
		out = append(out, fmt.Sprintf("%s: unknown columns are not used: %s", d.table.File, strings.Join(unused, ", ")))
	}
	terms := d.kind.published(d.options.Variables)
	for j, term := range terms {
		for i := range j {
			if proportional(d.published, i, j) {
				out = append(out, fmt.Sprintf("%s: the terms %s and %s are proportional on all rows: "+
					"the sweep cannot tell their costs apart", d.table.File, terms[i].Name, term.Name))
				break
			}
		}
	}
	return out
}

// proportional reports whether column b is a multiple of column a, or zero.
func proportional(rows [][]float64, a, b int) bool {
	var aa, ab, bb float64
	for _, r := range rows {
		aa, ab, bb = aa+r[a]*r[a], ab+r[a]*r[b], bb+r[b]*r[b]
	}
	return ab*ab >= aa*bb*(1-1e-12)
}
