package ttreport

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/driver/report/texttable"
	"zonemark/trace/ttmetal"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.js
var pageScript string

// page is what the template shows. Texts are ready; the template escapes them.
type page struct {
	Title, Policy string
	By            string
	Reports       []pageReport
	Data          template.JS // the timelines of all reports
	Script        template.JS // empty if there are no timelines
}

type pageReport struct {
	Card     drawing.Card
	Number   int // on the page, from 0
	Files    []string
	Partial  bool
	Places   pageTable
	Timeline int // position of its timeline, from 0; -1: none
	Shares   []pageBar
	Rows     pageTable // ops or calls
	Peaks    string    // whose peaks shares are of; empty unless rows are shapes
	Advice   []string  // what to try
}

// pageTable is a table of the text format, without columns that are empty. The first column has the names.
type pageTable struct {
	drawing.Table
	Columns []pageColumn
	Rows    [][]pageCell
}

type pageColumn struct {
	Title string
	Right bool
}

type pageCell struct {
	Text  string
	Right bool
}

// pageBar is an op with its share of the time, as a bar of so many percent of the largest share.
type pageBar struct{ Label, Value, Width string }

// mostBars is the number of ops with a bar; the table has all.
const mostBars = 20

// WriteHTML writes all reports as one page, without anything from elsewhere.
func (v *View) WriteHTML(out io.Writer, reports []*ttmetal.FileReport) error {
	script := drawing.Script + pageScript
	page := page{By: v.By, Policy: drawing.Policy(script)}
	timelines := []drawing.Timeline{}
	for i, r := range reports {
		p := v.pageOf(r)
		p.Number, p.Places.ID, p.Rows.ID = i, fmt.Sprint("places", i), fmt.Sprint("rows", i)
		if t, ok := timeline(r, mostSpans/len(reports)); ok {
			p.Timeline = len(timelines)
			timelines = append(timelines, t)
		}
		p.link()
		page.Reports = append(page.Reports, p)
	}
	page.Title = "Where the time went: " + page.Reports[0].Card.WholeTitle()
	if len(timelines) > 0 {
		data, err := json.Marshal(timelines) // escapes what could end the element
		if err != nil {
			return err
		}
		page.Data, page.Script = template.JS(data), template.JS(script)
	}
	t, err := drawing.Template("trace tt", pageTemplate)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if err := t.Execute(w, page); err != nil {
		return err
	}
	return w.Flush()
}

func (v *View) pageOf(r *ttmetal.FileReport) pageReport {
	p := pageReport{Files: r.Files.Paths(), Partial: r.Partial, Places: newPageTable(v.placeTable(r)), Timeline: -1,
		Card: drawing.Card{Title: r.Files.Name, Place: machineOf(r), Headline: headline(r), Warnings: r.Missing()}}
	switch v.By {
	case ByOp, byCategory, byRange:
		p.Rows = newPageTable(v.opTable(r))
	case ByCall:
		p.Rows = newPageTable(v.callTable(r))
	case ByShape:
		p.Rows = newPageTable(v.shapeTable(r))
		p.Peaks = peaks(r)
		p.Advice, _ = v.adviceLines(r)
	}
	shown := rowtext.Limited(r.Ops, mostBars)
	for _, o := range shown {
		if o.RunNS > 0 {
			if len(p.Shares) == 0 {
				p.Card.Facts = []drawing.Fact{{Name: "most time", Text: opLabel(o.Op) + ", " + report.Percent(o.Share) +
					" of the time on the device, in " + report.Counted(int(o.Calls), "call")}}
			}
			p.Shares = append(p.Shares, pageBar{opLabel(o.Op), report.Percent(o.Share) + ", " + report.Time(o.RunNS),
				fmt.Sprintf("%.1f", 100*o.Share/shown[0].Share)})
		}
	}
	return p
}

// link has the card lead to the tables and pictures of the report.
func (p *pageReport) link() {
	for _, l := range []struct {
		shown bool
		drawing.Link
	}{
		{len(p.Rows.Rows) > 0, drawing.Link{ID: p.Rows.ID, Text: "Table"}},
		{len(p.Places.Rows) > 0, drawing.Link{ID: p.Places.ID, Text: "Devices and host"}},
		{len(p.Shares) > 0, drawing.Link{ID: fmt.Sprint("shares", p.Number), Text: "Shares"}},
		{p.Timeline >= 0, drawing.Link{ID: fmt.Sprint("timeline", p.Number), Text: "Over time"}},
	} {
		if l.shown {
			p.Card.Links = append(p.Card.Links, l.Link)
		}
	}
}

// machineOf returns which devices a report is of, for its title: "wormhole_b0, 2 devices". The tables have no dates.
func machineOf(r *ttmetal.FileReport) string {
	var arches []string
	for _, d := range r.Devices {
		if d.Arch != "" && !slices.Contains(arches, d.Arch) {
			arches = append(arches, d.Arch)
		}
	}
	return report.Printable(strings.Join(append(arches, report.Counted(len(r.Devices), "device")), ", "))
}

func newPageTable(t *texttable.Table) pageTable {
	var p pageTable
	var kept []int
	for i, c := range t.Columns {
		for row := range t.Rows() {
			if row[i] != "" && c.Title != "" { // bars made of letters are for terminals
				kept = append(kept, i)
				break
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b int) int { // names come first
		switch named := t.Columns[a].Name; {
		case named == t.Columns[b].Name:
			return 0
		case named:
			return -1
		}
		return 1
	})
	for place, i := range kept {
		c := t.Columns[i]
		p.Columns = append(p.Columns, pageColumn{c.Title, c.Right})
		if place > 0 {
			p.Titles = append(p.Titles, c.Title)
		}
	}
	for row := range t.Rows() {
		var cells []pageCell
		for _, i := range kept {
			cells = append(cells, pageCell{row[i], t.Columns[i].Right})
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}
