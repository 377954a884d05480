package costmodel

import (
	"fmt"
	"math"
	"slices"

	"zonemark/driver/costmodel/table"
)

// mostTexts is the number of different texts up to which a column is a choice that trees can ask about.
const mostTexts = 32

// Input is a number that the trees of a hybrid ask about.
type Input struct {
	Term   string  `json:"term,omitempty"`   // a term of the kind, or
	Column string  `json:"column,omitempty"` // a column of numbers, or a column of text
	Text   *string `json:"text,omitempty"`   // that has this text: 1, and else 0
}

// derived returns terms that only trees see: they depend on the shape of a unit, but not on the number of units.
func derived() []Term {
	return []Term{
		{"r*c", "", func(p *point) float64 { return p.unit }},
		{"m*n", "", func(p *point) float64 { return p.ublocks }},
		{"r/c", "", func(p *point) float64 { return p.r / p.c }},
		{"phases", "", func(p *point) float64 { return p.phases }},
		{"r*c*u", "", func(p *point) float64 { return p.unit * p.u }},
		{"k*u", "", func(p *point) float64 { return p.k * p.u }},
		{"r*u*(1+c)", "", func(p *point) float64 { return p.r * p.u * (1 + p.c) }},
	}
}

// inputTerms returns the terms that inputs of a kind may name.
func (k Kind) inputTerms(variables []string) []Term {
	terms := k.published(variables)
	if k != Products {
		terms = append(terms, derived()...)
	}
	return terms
}

// chooseInputs returns inputs for all that changes from row to row of a table: terms, the shape, and choices. Of inputs
// that are the same on all rows the first stays.
func (k Kind) chooseInputs(t *table.Table, points []point, variables []string) []Input {
	var c inputChooser
	column := make([]float64, t.Rows)
	for _, term := range k.inputTerms(variables) {
		for i := range column {
			column[i] = term.value(&points[i])
		}
		c.add(Input{Term: term.Name}, column)
	}
	for _, name := range append(shapeVariables(), variables...) {
		c.add(Input{Column: name}, t.Number(name))
	}
	if k == Products {
		return c.inputs
	}
	for i := range t.Columns {
		col := &t.Columns[i]
		switch {
		case col.Role != table.Choice:
		case col.Number != nil:
			c.add(Input{Column: col.Name}, col.Number)
		default:
			texts := distinct(col.Text)
			if len(texts) < 2 || len(texts) > mostTexts {
				continue
			}
			for _, text := range texts {
				c.add(Input{Column: col.Name, Text: &text}, isText(col.Text, text))
			}
		}
	}
	return c.inputs
}

type inputChooser struct {
	inputs []Input
	seen   [][]float64
}

func (c *inputChooser) add(in Input, column []float64) {
	if len(c.inputs) == 250 || len(column) == 0 || slices.ContainsFunc(column, math.IsNaN) {
		return
	}
	changes := slices.ContainsFunc(column, func(v float64) bool { return v != column[0] })
	known := slices.ContainsFunc(c.seen, func(s []float64) bool { return slices.Equal(s, column) })
	if changes && !known {
		c.inputs, c.seen = append(c.inputs, in), append(c.seen, slices.Clone(column))
	}
}

func distinct(texts []string) []string {
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	return slices.Clone(slices.Compact(sorted))
}

func isText(texts []string, text string) []float64 {
	column := make([]float64, len(texts))
	for i, s := range texts {
		if s == text {
			column[i] = 1
		}
	}
	return column
}

// resolveTerms finds the terms that names stand for.
func resolveTerms(known []Term, names []string) ([]Term, error) {
	var terms []Term
	for _, name := range names {
		at := slices.IndexFunc(known, func(t Term) bool { return t.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("the term %q is unknown", name)
		}
		terms = append(terms, known[at])
	}
	return terms, nil
}
