package fitting

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/costmodel/table"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

//go:embed plot.html.tmpl
var plotTemplate string

// plotPage is what the template shows. Texts are ready; the template escapes them.
type plotPage struct {
	Card  drawing.Card
	Table drawing.Table
	Fits  []plotFit
}

// plotFit is a fit: a row of the table, and its section.
type plotFit struct {
	Name, Model, Kind, Error, Worst, Rows, Shapes string
	Predictions                                   string
	Facts                                         []drawing.Fact
	Warnings                                      []string
	Drawings                                      []drawing.Drawing
}

// mostWarnings is the number of warnings that the card of a page has.
const mostWarnings = 5

// mostPoints of a drawing: more say nothing and make the page slow. The row with the largest error is always shown.
const mostPoints = 2000

// writePlot writes all fits as one page, without scripts and without anything from elsewhere.
func writePlot(w io.Writer, fits []fitted) error {
	page := plotPage{Table: drawing.Table{ID: "fits", Titles: []string{"error", "worst row", "model", "of kind", "rows", "shapes"}}}
	for _, f := range fits {
		p, err := f.page()
		if err != nil {
			return err
		}
		page.Fits = append(page.Fits, p)
		page.Card.Warnings = append(page.Card.Warnings, p.Warnings...)
	}
	page.Card.Title, page.Card.Headline = cardOf(fits)
	if !slices.ContainsFunc(fits, func(f fitted) bool { return f.place != fits[0].place }) && len(fits) > 0 {
		page.Card.Place = fits[0].place
	}
	if more := len(page.Card.Warnings) - mostWarnings; more > 0 {
		page.Card.Warnings = append(page.Card.Warnings[:mostWarnings], report.Counted(more, "more warning")+" are below.")
	}
	t, err := drawing.Template("fit", plotTemplate)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if err := t.Execute(out, page); err != nil {
		return err
	}
	return out.Flush()
}

// cardOf returns the title of the page, and the result.
func cardOf(fits []fitted) (title, headline string) {
	if len(fits) > 1 {
		return "Cost models: " + report.Counted(len(fits), "fit"), meanErrors(fits)
	}
	for _, f := range fits {
		title, headline = "Cost model: "+f.label(), "error: "+report.Printable(errorsText(f.model))
	}
	return title, headline
}

// label names a fit: its file without folders, the operation and the architecture.
func (f fitted) label() string {
	return report.Printable(strings.TrimSpace(filepath.Base(f.table.File) + " " + f.operation + " " + f.architecture))
}

// page draws a fit: predicted against measured, and residuals by variable.
func (f fitted) page() (plotFit, error) {
	m := f.model
	worst := tested(m).Worst
	p := plotFit{Name: f.label(), Warnings: m.Warnings, Model: string(m.Model), Kind: string(m.Kind), Error: percent(tested(m).MAPE),
		Worst: fmt.Sprintf("%+.1f %%", 100*(worst.Predicted/worst.Measured-1)), Rows: report.Grouped(int64(m.Rows)),
		Shapes: report.Grouped(int64(m.Groups))}
	p.Facts = []drawing.Fact{
		{Name: "file", Text: f.table.File}, {Name: "errors", Text: errorsText(m)},
		{Name: "weights", Text: weightsText(slices.DeleteFunc(slices.Clone(m.Weights), unused))},
		{Name: "worst row", Text: f.worstText()}, {Name: "fitted", Text: rangesText(m.Ranges)},
	}
	predicted := m.Predicted
	p.Predictions = "Each prediction is of a model that has not seen the row's shape."
	if predicted == nil {
		p.Predictions = "The predictions are in-sample: there are too few shapes to hold some back."
		estimates, err := m.Estimate(f.table)
		if err != nil {
			return p, err
		}
		for _, e := range estimates {
			predicted = append(predicted, e.Cycles)
		}
	}
	rows := thinned(f.table.Rows, mostPoints, tested(m).Worst.Row)
	if len(rows) < f.table.Rows {
		p.Predictions += fmt.Sprintf(" %s of %s rows are drawn.", report.Grouped(int64(len(rows))),
			report.Grouped(int64(f.table.Rows)))
	}
	measured, estimated := pick(f.table.Runtime, rows), pick(predicted, rows)
	p.Drawings = append(p.Drawings, drawing.Comparing(measured, estimated, f.axisUnit(), f.axisLabel()))
	residuals := make([]float64, len(rows))
	for i := range rows {
		residuals[i] = 100 * (estimated[i]/measured[i] - 1)
	}
	for _, r := range m.Ranges {
		if c := f.table.Column(r.Column); c != nil {
			if slots := slotsOf(c, rows); slots != nil {
				p.Drawings = append(p.Drawings, byVariable(c.Header, slots, residuals))
			}
		}
	}
	return p, nil
}

func pick(values []float64, rows []int) []float64 {
	picked := make([]float64, len(rows))
	for i, r := range rows {
		picked[i] = values[r]
	}
	return picked
}

// thinned returns at most so many row numbers, evenly spread, and one more that must be there.
func thinned(rows, most, needed int) []int {
	var out []int
	step := max(1, (rows+most-1)/most)
	for i := 0; i < rows; i += step {
		out = append(out, i)
	}
	if at, found := slices.BinarySearch(out, needed); !found {
		out = slices.Insert(out, at, needed)
	}
	return out
}

// slot is a value of a variable with the points that have it.
type slot struct {
	label  string
	points []int // numbers of residuals
}

// mostSlots is the number of values of a variable that a drawing shows one by one. More are divided into as many
// ranges.
const mostSlots = 16

// slotsOf divides rows by the value of a column. It returns nil if all rows have one value, or if it is text with very
// many values.
func slotsOf(c *table.Column, rows []int) []slot {
	if c.Number == nil {
		return textSlots(c, rows)
	}
	values := pick(c.Number, rows)
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if len(sorted) < 2 {
		return nil
	}
	each := (len(sorted) + mostSlots - 1) / mostSlots // values of a slot
	slots := make([]slot, (len(sorted)+each-1)/each)
	for i := range slots {
		low, high := sorted[i*each], sorted[min(len(sorted), (i+1)*each)-1]
		slots[i].label = strconv.FormatFloat(low, 'g', 4, 64)
		if low != high {
			slots[i].label += "–" + strconv.FormatFloat(high, 'g', 4, 64)
		}
	}
	for i, v := range values {
		at, _ := slices.BinarySearch(sorted, v)
		slots[at/each].points = append(slots[at/each].points, i)
	}
	return slots
}

func textSlots(c *table.Column, rows []int) []slot {
	var slots []slot
	for i, r := range rows {
		at := slices.IndexFunc(slots, func(s slot) bool { return s.label == c.Text[r] })
		if at < 0 {
			at = len(slots)
			slots = append(slots, slot{label: c.Text[r]})
		}
		slots[at].points = append(slots[at].points, i)
	}
	if len(slots) < 2 || len(slots) > mostSlots {
		return nil
	}
	slices.SortFunc(slots, func(a, b slot) int { return strings.Compare(a.label, b.label) })
	return slots
}
