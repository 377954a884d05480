package comparing

import (
	"io"
	"math"

	"zonemark/driver/compare"
	"zonemark/driver/compare/comparepage"
)

// html writes the comparison as a page.
func (c *comparison) html(w io.Writer) error {
	p := comparepage.Page{
		Title: "Better or worse", Notes: c.notes(),
		Facts:   []comparepage.Fact{{Name: "old", Text: c.before.Source}, {Name: "new", Text: c.after.Source}, {Name: "rows", Text: c.summary()}},
		Columns: []string{"name", "old", "new", "change", "95 % interval", "verdict", "by", "code"},
	}
	rows, _ := c.shown(true)
	for _, r := range rows {
		row := comparepage.Row{
			Cells: []string{fullName(r), value(r, r.OldValue), value(r, r.NewValue), percent(r.Ratio), interval(r), verdictText(r),
				string(r.By), string(r.Code)},
			Class: classOf(r.Verdict), Details: r.Notes,
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

func classOf(v compare.Verdict) string {
	switch {
	case isWorse(v):
		return "worse"
	case v == compare.Faster || v == compare.Mended:
		return "better"
	}
	return ""
}
