package traceverbs

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/trace/ttmetal"
)

//go:embed tt.html.tmpl
var ttTemplate string

//go:embed tt.js
var ttScript string

// ttPage is what the template shows. Texts are ready; the template escapes them.
type ttPage struct {
	Title, Policy string
	By            string
	Reports       []ttPageReport
	Data          template.JS // the timelines of all reports
	Script        template.JS // empty if there are no timelines
}

type ttPageReport struct {
	Name, Headline string
	Files          []string
	Partial        bool
	Problems       []string
	Places         ttPageTable
	Timeline       int // position of its timeline, from 0; -1: none
	Shares         []ttPageBar
	Rows           ttPageTable // ops or calls
	Peaks          string      // whose peaks shares are of; empty unless rows are shapes
	Advice         []string    // what to try
}

// ttPageTable is a table of the text format, without columns that are empty.
type ttPageTable struct {
	Columns []ttPageColumn
	Rows    [][]ttPageCell
}

type ttPageColumn struct {
	Title string
	Right bool
}

type ttPageCell struct {
	Text  string
	Right bool
}

// ttPageBar is an op with its share of the time, as a bar of so many percent of the room.
type ttPageBar struct{ Label, Value, Width string }

// ttMostBars is the number of ops with a bar; the table has all.
const ttMostBars = 20

// writeHTML writes all reports as one page, without anything from elsewhere.
func (f *showingTT) writeHTML(out io.Writer, reports []*ttmetal.FileReport) error {
	script := drawing.Script + ttScript
	page := ttPage{Title: "Where the time went: " + reports[0].Files.Name, By: f.by, Policy: drawing.Policy(script)}
	timelines := []drawing.Timeline{}
	for _, r := range reports {
		p := f.pageOf(r)
		if t, ok := ttTimeline(r, ttMostSpans/len(reports)); ok {
			p.Timeline = len(timelines)
			timelines = append(timelines, t)
		}
		page.Reports = append(page.Reports, p)
	}
	if len(timelines) > 0 {
		data, err := json.Marshal(timelines) // escapes what could end the element
		if err != nil {
			return err
		}
		page.Data, page.Script = template.JS(data), template.JS(script)
	}
	t, err := drawing.Template("trace tt", ttTemplate)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if err := t.Execute(w, page); err != nil {
		return err
	}
	return w.Flush()
}

func (f *showingTT) pageOf(r *ttmetal.FileReport) ttPageReport {
	p := ttPageReport{Name: r.Files.Name, Headline: ttHeadline(r), Files: r.Files.Paths(), Partial: r.Partial,
		Problems: r.Missing(), Places: pageTable(f.placeTable(r)), Timeline: -1}
	switch f.by {
	case ttByOp, ttByCategory, ttByRange:
		p.Rows = pageTable(f.opTable(r))
	case ttByCall:
		p.Rows = pageTable(f.callTable(r))
	case ttByShape:
		p.Rows = pageTable(f.shapeTable(r))
		p.Peaks = ttPeaks(r)
		p.Advice, _ = f.adviceLines(r)
	}
	for _, o := range limited(r.Ops, ttMostBars) {
		if o.RunNS > 0 {
			p.Shares = append(p.Shares, ttPageBar{ttOpLabel(o.Op), report.Percent(o.Share) + ", " + report.Time(o.RunNS),
				fmt.Sprintf("%.1f", 100*o.Share)})
		}
	}
	return p
}

func pageTable(t *report.Table) ttPageTable {
	var p ttPageTable
	var kept []int
	for i, c := range t.Columns {
		for row := range t.Rows() {
			if row[i] != "" && c.Title != "" { // bars made of letters are for terminals
				kept = append(kept, i)
				p.Columns = append(p.Columns, ttPageColumn{c.Title, c.Right})
				break
			}
		}
	}
	for row := range t.Rows() {
		var cells []ttPageCell
		for _, i := range kept {
			cells = append(cells, ttPageCell{row[i], t.Columns[i].Right})
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}
