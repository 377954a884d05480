// Package comparepage writes pages (HTML) about comparisons: what became faster or slower between two runs, and how
// measurements went over many runs. The pages need no scripts and nothing from elsewhere. The package decides nothing.
package comparepage

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"

	"zonemark/driver/report/drawing"
)

//go:embed page.html.tmpl
var pageTemplate string

// Generator marks the pages of this package in their heads.
const Generator = "zonemark compare"

// Page is what a page shows. Texts are shown as they are.
type Page struct {
	Card     drawing.Card
	Columns  []Column // of Rows; those that are empty in all rows are not shown
	Rows     []Row
	Drawings []drawing.Drawing // below the rows
	Left     string            // what is said of drawings that are left out
}

// Column is a column of the table. Class is that of its cells in the style of pages: "verdict", "right" for numbers,
// "extra" for what stands last in narrow windows.
type Column struct{ Title, Class string }

// Row is a row of the table: a cell for each column, the first of which is its name, and what is said below it.
type Row struct {
	Cells   []string
	Class   string // "worse", "better" or empty
	Details []string
	// Ratio with its interval is drawn as a mark on a line if Ratio is positive.
	Ratio, Low, High float64
	// Trend is drawn as a small curve if it has two values.
	Trend []float64
}

// The pictures beside rows, in their own units.
const (
	markWidth   = 120.0
	trendHeight = 20.0
	leastReach  = 0.02 // the line of marks reaches at least so far from "equal", as a logarithm
)

// widestInterval is how many times as far as the farthest ratio the line of marks reaches for an interval.
const widestInterval = 3

// reach returns how far the line of marks reaches from "equal" to each side, as a logarithm: as far as the farthest ratio,
// and as the farthest interval that is not far beyond.
func (p *Page) reach() float64 {
	reach, ends := leastReach, 0.0
	for _, r := range p.Rows {
		if r.Ratio > 0 && !math.IsInf(r.Ratio, 0) {
			reach = max(reach, math.Abs(math.Log(r.Ratio)))
		}
	}
	for _, r := range p.Rows {
		for _, end := range []float64{r.Low, r.High} {
			if far := math.Abs(math.Log(end)); end > 0 && far <= widestInterval*reach {
				ends = max(ends, far)
			}
		}
	}
	return 1.1 * max(reach, ends)
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

// curveOf returns the path of a small curve; empty if there are less than two values.
func curveOf(values []float64) string {
	if len(values) < 2 {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if middle := (low + high) / 2; high-low < leastReach*middle { // what differs little looks flat
		low, high = middle*(1-leastReach/2), middle*(1+leastReach/2)
	}
	if !(high > low) || math.IsInf(high-low, 0) {
		return ""
	}
	var path strings.Builder
	for i, v := range values {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], 2+(markWidth-4)*float64(i)/float64(len(values)-1),
			trendHeight-2-(trendHeight-4)*(v-low)/(high-low))
	}
	return path.String()
}

// shownColumn is a column that has a text in some row, with its place.
type shownColumn struct {
	Column
	place int
}

func (p *Page) shownColumns() (list []shownColumn) {
	for i, c := range p.Columns {
		for _, r := range p.Rows {
			if r.Cells[i] != "" {
				list = append(list, shownColumn{c, i})
				break
			}
		}
	}
	return list
}

// shownCell is a cell with its class; a row of class "more" has no line below it.
type shownCell struct{ Text, Class string }

// shownRow is a row without its empty columns, with its pictures.
type shownRow struct {
	Name, Class string
	Cells       []shownCell // behind the name
	Details     []shownCell // each in a row of its own
	Mark        *mark
	Curve       string
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	t, err := drawing.Template("comparison", pageTemplate)
	if err != nil {
		return err
	}
	reach, columns := p.reach(), p.shownColumns()
	data := struct {
		Page
		Title, Generator string
		Shown            []shownRow
		Heads            []Column // behind the name
		Table            drawing.Table
		Marks, Curves    bool
		All              int // columns
		Reach            string
	}{Page: p, Title: p.Card.WholeTitle(), Generator: Generator, Table: drawing.Table{ID: "rows"}, All: len(columns),
		Reach: fmt.Sprintf("±%.2g %%", 100*math.Expm1(reach))}
	for _, c := range columns[min(1, len(columns)):] {
		data.Heads = append(data.Heads, c.Column)
		title := c.Title
		if c.Class == "verdict" {
			title = ""
		}
		data.Table.Titles = append(data.Table.Titles, title)
	}
	for _, r := range p.Rows {
		row := shownRow{Name: r.Cells[0], Class: r.Class, Mark: markOf(r, reach), Curve: curveOf(r.Trend)}
		for _, c := range columns[min(1, len(columns)):] {
			row.Cells = append(row.Cells, shownCell{r.Cells[c.place], c.Class})
		}
		for i, text := range r.Details {
			class := "more"
			if i == len(r.Details)-1 {
				class = ""
			}
			row.Details = append(row.Details, shownCell{text, class})
		}
		data.Marks, data.Curves = data.Marks || row.Mark != nil, data.Curves || row.Curve != ""
		data.Shown = append(data.Shown, row)
	}
	if data.Marks || data.Curves {
		data.All++
	}
	out := bufio.NewWriter(w)
	if err := t.Execute(out, data); err != nil {
		return err
	}
	return out.Flush()
}
