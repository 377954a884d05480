// Package reportpage writes a page (HTML) about runs: their results as a table, groups with their rankings, times over
// parameters, and for each invocation the distribution of its samples, its dispatches and its counters. The page needs
// nothing from elsewhere. It derives everything from journal records. Drawings of single invocations are made by the
// page's own script when a reader opens a row, from samples that are binned here, so that the page stays small.
package reportpage

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"zonemark/driver/peaks"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// Generator is in the head of every page, so that a page is known as one.
const Generator = `<meta name="generator" content="zonemark report">`

// MostInvocations is the number of invocations that fit in a page which a browser opens quickly.
const MostInvocations = 10_000

//go:embed page.html.tmpl
var pageTemplate string

//go:embed report.js
var ownScript string

// Source is a run with the name of the journal that holds it.
type Source struct {
	Journal string // empty if there is none
	Run     report.Run
	Why     string // the reason why the run is not complete; may be empty
	// Peaks are those of the machine that measured; nil if they are not known.
	Peaks []peaks.Peak

	records []invocations.Record // of the run, in order of their names; see byName
}

// page is what the template shows. Texts are shown as they are.
type page struct {
	Title, Policy string
	Generator     template.HTML
	Card          drawing.Card
	Table         drawing.Table
	Machines      []machine
	Rankings      []ranking
	Rooflines     []roofline
	Charts        []chart
	MoreCharts    int // that are not shown
	Choices       []choice
	Columns       []column
	Rows          []row
	Data          template.JS
	Script        template.JS
}

// Write writes the page about these runs. It returns an error if there are more than MostInvocations, or the writer's.
func Write(w io.Writer, sources []Source) error {
	n := 0
	for _, s := range sources {
		n += s.Run.Records.Len()
	}
	if err := CheckCount(n); err != nil {
		return err
	}
	script := drawing.Script + ownScript
	sources = slices.Clone(sources)
	for i := range sources {
		var err error
		if sources[i], err = byName(sources[i]); err != nil {
			return err
		}
	}
	p := page{
		Generator: Generator, Machines: machinesOf(sources),
		Rankings: rankingsOf(sources), Script: template.JS(script), Choices: choicesOf(sources),
	}
	p.Policy = drawing.Policy(script)
	p.Charts, p.MoreCharts = chartsOf(sources)
	p.Rooflines = rooflinesOf(sources)
	list := listOf(sources)
	p.Columns, p.Rows = rowsOf(list)
	p.Table = tableOf(p.Columns)
	p.Card = p.card(sources)
	p.Title = p.Card.WholeTitle()
	data, err := dataOf(list)
	if err != nil {
		return err
	}
	p.Data = template.JS(data)
	t, err := drawing.Template("report", pageTemplate)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if err := t.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// CheckCount returns an error if so many invocations are too many for a page.
func CheckCount(n int) error {
	if n <= MostInvocations {
		return nil
	}
	return fmt.Errorf("%s are too many for a page, which holds at most %s: choose some with zonemark report --filter",
		report.Counted(n, "invocation"), report.Grouped(MostInvocations))
}
