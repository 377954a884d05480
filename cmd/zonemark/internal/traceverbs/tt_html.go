package traceverbs

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/trace/ttmetal"
)

//go:embed tt.html.tmpl
var ttTemplate string

// ttPage is what the template shows. Texts are ready; the template escapes them.
type ttPage struct {
	Title   string
	By      string
	Reports []ttPageReport
}

type ttPageReport struct {
	Name, Headline string
	Files          []string
	Partial        bool
	Problems       []string
	Places         ttPageTable
	Occupancy      []ttPageOccupancy
	Shares         []ttPageBar
	Rows           ttPageTable // ops or calls
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

// ttPageBar is a bar of so many units of the drawing, Y below its top.
type ttPageBar struct {
	Label, Value string
	Y, TextY     int
	Width        string
}

// ttPageOccupancy is how busy a device was over its span, in stretches between long gaps.
type ttPageOccupancy struct {
	Name, Span string
	Stretches  []ttPageStretch
}

// ttPageStretch is a stretch with its own axis of time: bars of heights that are fractions of the drawing.
type ttPageStretch struct {
	At    string // when and for how long
	Width int
	Bars  []ttPageBin
}

type ttPageBin struct {
	X         int
	Y, Height string
}

// The drawings' sizes in their own units.
const (
	ttBarWidth        = 420
	ttBarPitch        = 20
	ttOccupancyHeight = 40
	ttMostBars        = 20 // ops with a bar; the table has all
	ttLabelLetters    = 42 // that fit beside a bar
)

// writeHTML writes all reports as one page, without scripts and without anything from elsewhere.
func (f *showingTT) writeHTML(out io.Writer, reports []*ttmetal.FileReport) error {
	page := ttPage{Title: "Where the time went: " + reports[0].Files.Name, By: f.by}
	for _, r := range reports {
		page.Reports = append(page.Reports, f.pageOf(r))
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
		Problems: r.Missing(), Places: pageTable(f.placeTable(r))}
	switch f.by {
	case ttByOp, ttByCategory, ttByRange:
		p.Rows = pageTable(f.opTable(r))
	case ttByCall:
		p.Rows = pageTable(f.callTable(r))
	case ttByShape:
		p.Rows = pageTable(f.shapeTable(r))
	}
	for _, o := range limited(r.Ops, ttMostBars) {
		if o.RunNS > 0 {
			y := len(p.Shares) * ttBarPitch
			p.Shares = append(p.Shares, ttPageBar{report.Shorten(ttOpLabel(o.Op), ttLabelLetters),
				report.Percent(o.Share) + ", " + report.Time(o.RunNS), y, y + 13, unitsOf(o.Share * ttBarWidth)})
		}
	}
	for _, d := range limited(r.Devices, ttMostDevices) {
		if len(d.Activities) > 0 {
			p.Occupancy = append(p.Occupancy, occupancyOf(d))
		}
	}
	return p
}

// ChartHeight is the height of the drawing of the shares.
func (p ttPageReport) ChartHeight() int { return len(p.Shares) * ttBarPitch }

func occupancyOf(d *ttmetal.DeviceTotals) ttPageOccupancy {
	const pitch = 3
	o := ttPageOccupancy{Name: ttPlaceName(d.Device), Span: report.Time(d.SpanNS)}
	for _, a := range d.Activities {
		stretch := ttPageStretch{At: report.Time(a.SpanNS), Width: pitch * len(a.Occupancy)}
		if len(d.Activities) > 1 {
			stretch.At = fmt.Sprintf("at %s, for %s", report.Time(a.StartNS), stretch.At)
		}
		for i, busy := range a.Occupancy {
			if busy > 0 {
				height := max(1, math.Min(busy, 1)*ttOccupancyHeight) // an op that was short is still one
				stretch.Bars = append(stretch.Bars,
					ttPageBin{i * pitch, unitsOf(ttOccupancyHeight - height), unitsOf(height)})
			}
		}
		o.Stretches = append(o.Stretches, stretch)
	}
	return o
}

// unitsOf is a length in a drawing.
func unitsOf(x float64) string { return fmt.Sprintf("%.1f", x) }

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
