// Package comparepage writes pages (HTML) about comparisons: what became faster or slower between two runs, and how
// measurements went over many runs. The pages need no scripts and nothing from elsewhere. The package decides nothing.
package comparepage

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

//go:embed page.html.tmpl
var pageTemplate string

// Generator marks the pages of this package in their heads.
const Generator = "zonemark compare"

// Page is what a page shows. Texts are shown as they are.
type Page struct {
	Title    string
	Facts    []Fact   // on top, in this order
	Notes    []string // what must be known before any verdict
	Columns  []string // of Rows
	Rows     []Row
	Sections []Section // below the rows
}

// Fact is a name with its text.
type Fact struct{ Name, Text string }

// Row is a row of the table: a cell for each column, and what is said below it.
type Row struct {
	Cells   []string
	Class   string // "worse", "better" or empty
	Details []string
	// Ratio with its interval is drawn as a mark on a line if Ratio is positive.
	Ratio, Low, High float64
}

// Section is a heading with drawings.
type Section struct {
	Title    string
	Notes    []string
	Drawings []drawing.Drawing
}

// Trend is a measurement over runs.
type Trend struct {
	Title            string
	Unit             string    // "time" or "cycles"
	Run              []float64 // numbers of the runs, from 1
	Value, Low, High []float64
}

// Draw returns the drawing of a trend.
func Draw(t Trend) drawing.Drawing {
	label := report.Time
	if t.Unit != "time" {
		label = func(v float64) string { return report.Grouped(int64(math.Round(v))) }
	}
	var fromZero []float64 // so that the axis is not logarithmic
	for _, run := range t.Run {
		fromZero = append(fromZero, run-1)
	}
	return drawing.Lines(t.Title, "run", t.Unit, []drawing.Series{{X: fromZero, Y: t.Value, Low: t.Low, High: t.High}},
		func(v float64) string { return fmt.Sprint(int(v) + 1) }, label)
}

// scale of the marks of ratios.
const (
	markWidth  = 120.0 // of the drawing, in its own units
	leastReach = 0.02  // the line reaches at least so far from "equal", as a logarithm
)

// reach returns how far the line of marks reaches from "equal" to each side, as a logarithm: as far as the farthest
// ratio.
func (p *Page) reach() float64 {
	reach := leastReach
	for _, r := range p.Rows {
		if r.Ratio > 0 {
			reach = max(reach, math.Abs(math.Log(r.Ratio)))
		}
	}
	return 1.1 * reach
}

// mark is a ratio in the units of its drawing.
type mark struct{ X, Low, High float64 }

func markOf(r Row, reach float64) *mark {
	if !(r.Ratio > 0) || math.IsInf(r.Ratio, 0) {
		return nil
	}
	at := func(ratio float64) float64 {
		x := markWidth / 2 * (1 + math.Log(ratio)/reach)
		if math.IsNaN(x) {
			return 0
		}
		return min(max(x, 0), markWidth)
	}
	return &mark{at(r.Ratio), at(max(r.Low, math.SmallestNonzeroFloat64)), at(r.High)}
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	t, err := drawing.Template("comparison", pageTemplate)
	if err != nil {
		return err
	}
	reach := p.reach()
	type shownRow struct {
		Row
		Mark *mark
	}
	data := struct {
		Page
		Generator string
		Shown     []shownRow
		Marks     bool
		MarkWidth float64
		Reach     string
	}{Page: p, Generator: Generator, MarkWidth: markWidth, Reach: fmt.Sprintf("±%.2g %%", 100*math.Expm1(reach))}
	for _, r := range p.Rows {
		m := markOf(r, reach)
		data.Marks = data.Marks || m != nil
		data.Shown = append(data.Shown, shownRow{r, m})
	}
	out := bufio.NewWriter(w)
	if err := t.Execute(out, data); err != nil {
		return err
	}
	return out.Flush()
}
