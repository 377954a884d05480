package comparing

import (
	"cmp"
	"io"
	"math"
	"path/filepath"
	"strings"

	"zonemark/driver/compare"
	"zonemark/driver/compare/comparepage"
	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
)

// html writes the comparison as a page.
func (c *comparison) html(w io.Writer) error {
	p := comparepage.Page{
		Card: drawing.Card{
			Title:    report.Printable(baseOf(c.after) + " against " + baseOf(c.before)),
			Place:    report.Place(c.after.Environment, c.after.Started),
			Headline: c.summary(),
			Warnings: c.notes(),
			Facts: []drawing.Fact{{Name: "slowest", Text: c.farthest("worse")}, {Name: "fastest", Text: c.farthest("better")},
				{Name: "old", Text: runText(c.before, true)}, {Name: "new", Text: runText(c.after, true)}},
		},
		Columns: []comparepage.Column{{Title: "name"}, {Title: "verdict", Class: "verdict"}, {Title: "change", Class: "right"},
			{Title: "95 % interval", Class: "right"}, {Title: "old", Class: "right extra"}, {Title: "new", Class: "right extra"},
			{Title: "by", Class: "extra"}, {Title: "code", Class: "extra"}},
	}
	rows, _ := c.shown(true)
	by, several := oneFigure(rows)
	if !several {
		p.Card.Facts = append(p.Card.Facts, drawing.Fact{Name: "compared", Text: comparedText(by)})
	}
	for _, r := range rows {
		row := comparepage.Row{
			Cells: []string{report.Printable(fullName(r)), verdictText(r), percent(r.Ratio), interval(r), value(r, r.OldValue), value(r, r.NewValue),
				"", string(r.Code)},
			Class: classOf(r.Verdict), Details: r.Notes,
		}
		if several {
			row.Cells[6] = string(r.By)
		}
		if r.By != "" && !math.IsNaN(r.Ratio) {
			row.Ratio, row.Low, row.High = r.Ratio, r.Low, r.High
		}
		for _, d := range r.Dispatches {
			row.Details = append(row.Details, "dispatch "+d.Name+": "+dispatchText(d))
		}
		p.Rows = append(p.Rows, row)
	}
	return comparepage.Write(w, p)
}

// comparedText says in whole words what was compared.
func comparedText(by compare.Figure) string {
	switch by {
	case "":
		return ""
	case compare.ByReference:
		return "times at the clock that this machine usually has"
	}
	return string(by)
}

// oneFigure returns the figure by which the rows were compared, and whether there are several.
func oneFigure(rows []compare.Row) (by compare.Figure, several bool) {
	for _, r := range rows {
		if r.By == "" {
			continue
		}
		several = several || by != "" && by != r.By
		by = r.By
	}
	return by, several
}

func baseOf(s *compare.Set) string { return cmp.Or(filepath.Base(s.Source), "this run") }

// runText says when a run was and of which commit and, if it is named, of which file and machine.
func runText(s *compare.Set, named bool) string {
	var words []string
	if named {
		words = append(words, s.Source)
	}
	if !s.Started.IsZero() {
		words = append(words, s.Started.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if s.Commit != "" {
		words = append(words, "commit "+short(s.Commit))
	}
	if named && s.Environment["host"] != "" {
		words = append(words, machineName(s.Environment))
	}
	return report.Printable(strings.Join(words, ", "))
}

// farthest names the row of a class that has changed most; empty if there is none.
func (c *comparison) farthest(class string) string {
	text, size := "", 0.0
	for _, r := range c.rows {
		if change := math.Abs(math.Log(r.Ratio)); classOf(r.Verdict) == class && change > size && !math.IsInf(change, 0) {
			size, text = change, fullName(r)+", "+percent(r.Ratio)+" ("+interval(r)+")"
		}
	}
	return report.Printable(text)
}

func classOf(v compare.Verdict) string {
	switch {
	case isWorse(v):
		return "worse"
	case v == compare.Faster || v == compare.Mended:
		return "better"
	}
	return ""
}
