package traceverbs

import (
	"bufio"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/trace/zonestats"
)

// diffRow is a row of the csv and ndjson formats; what a side does not have is empty or absent. Columns are added at
// the end, never renamed.
type diffRow struct {
	Name           string            `csv:"name" json:"name"`
	Verdict        zonestats.Verdict `csv:"verdict" json:"verdict"`
	CountBefore    *int64            `csv:"count_before" json:"count_before,omitempty"`
	CountAfter     *int64            `csv:"count_after" json:"count_after,omitempty"`
	MedianBeforeNS *float64          `csv:"median_before_ns" json:"median_before_ns,omitempty"`
	MedianAfterNS  *float64          `csv:"median_after_ns" json:"median_after_ns,omitempty"`
	Ratio          *float64          `csv:"ratio" json:"ratio,omitempty"`
	P              *float64          `csv:"p" json:"p,omitempty"`
	TotalBeforeNS  *int64            `csv:"total_before_ns" json:"total_before_ns,omitempty"`
	TotalAfterNS   *int64            `csv:"total_after_ns" json:"total_after_ns,omitempty"`
	DeltaNS        int64             `csv:"delta_ns" json:"delta_ns"`
	RatioLow       *float64          `csv:"ratio_low" json:"ratio_low,omitempty"` // absent with a single capture
	RatioHigh      *float64          `csv:"ratio_high" json:"ratio_high,omitempty"`
	CapturesBefore *int              `csv:"captures_before" json:"captures_before,omitempty"`
	CapturesAfter  *int              `csv:"captures_after" json:"captures_after,omitempty"`
	Track          string            `csv:"track" json:"track,omitempty"` // context of a GPU
}

func newDiffRow(c *zonestats.Change) diffRow {
	d := &c.Difference
	row := diffRow{
		Name: c.Name, Verdict: c.Verdict, Ratio: invocations.Finite(d.Ratio), P: invocations.Finite(d.P),
		DeltaNS: c.DeltaNS(), Track: c.Track,
	}
	if row.P != nil {
		row.RatioLow, row.RatioHigh = invocations.Finite(d.Low), invocations.Finite(d.High)
	}
	side := func(z *zonestats.Side) (count *int64, median *float64, total *int64, captures *int) {
		if z == nil {
			return nil, nil, nil, nil
		}
		n, m, sum, of := z.Count(), rowtext.Thousandths(z.MedianNS()), z.SumNS(), z.Captures()
		return &n, &m, &sum, &of
	}
	row.CountBefore, row.MedianBeforeNS, row.TotalBeforeNS, row.CapturesBefore = side(c.Before)
	row.CountAfter, row.MedianAfterNS, row.TotalAfterNS, row.CapturesAfter = side(c.After)
	return row
}

func writeChanges(out io.Writer, format string, changes []zonestats.Change, ops bool) error {
	w := bufio.NewWriter(out)
	rows := make([]diffRow, len(changes))
	for i := range changes {
		rows[i] = newDiffRow(&changes[i])
	}
	if format != rowtext.Text {
		if err := rowtext.Write(w, format, rows); err != nil {
			return err
		}
		return w.Flush()
	}
	what := "zone"
	if ops {
		what = "op"
	}
	t := texttable.Table{Columns: []texttable.Column{
		{Title: what, Name: true}, {Title: "verdict"}, {Title: "Δ total", Right: true},
		{Title: "median before", Right: true},
		{Title: "after", Right: true}, {Title: "change", Right: true},
		{Title: "95 % interval", Right: true},
		{Title: "count before", Right: true, Spare: true},
		{Title: "after", Right: true, Spare: true}, {Title: "p", Right: true, Spare: true},
		{Title: "track", Spare: true},
	}}
	for _, r := range rows {
		t.Add(report.Printable(r.Name), string(r.Verdict), signed(report.Time(float64(r.DeltaNS)), r.DeltaNS > 0),
			timeOrDash(r.MedianBeforeNS), timeOrDash(r.MedianAfterNS),
			changeText(r.Ratio), intervalText(r), countOrDash(r.CountBefore), countOrDash(r.CountAfter), probability(r.P),
			report.Printable(r.Track))
	}
	if err := t.Write(w, cli.TerminalWidth(out)); err != nil {
		return err
	}
	return w.Flush()
}

func signed(text string, plus bool) string {
	if plus {
		return "+" + text
	}
	return text
}

func timeOrDash(ns *float64) string {
	if ns == nil {
		return "-"
	}
	return report.Time(*ns)
}

func countOrDash(n *int64) string {
	if n == nil {
		return "-"
	}
	return report.Grouped(*n)
}

func changeText(ratio *float64) string {
	switch {
	case ratio == nil:
		return "-"
	case *ratio >= 10:
		return "× " + report.Grouped(int64(min(*ratio, 1e15)))
	}
	return signed(report.Percent(*ratio-1), *ratio > 1)
}

// intervalText returns the interval of a change; empty if a side has a single capture.
func intervalText(r diffRow) string {
	if r.RatioLow == nil || r.RatioHigh == nil {
		return ""
	}
	return changeText(r.RatioLow) + " … " + changeText(r.RatioHigh)
}

func probability(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.0001:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", *p)
}
