package peaking

import (
	"fmt"
	"io"
	"strings"

	"zonemark/driver/report"
	kernels "zonemark/executor/peaks"
	"zonemark/invocations"
)

// writeTable writes the peaks of a run for people: what computes first, then what moves bytes.
func (v *verb) writeTable(w io.Writer, run report.Run) error {
	var failed []string
	for _, part := range []struct {
		title, unit string
		moves       bool
	}{
		{"operations", "op/s", false}, {"memory", "B/s", true},
	} {
		t := &report.Table{Columns: []report.Column{
			{Title: part.title}, {Title: "with"}, {Title: "CPUs", Right: true}, {Title: "rate", Right: true},
			{Title: "±", Right: true}, {Title: "per cycle", Right: true}, {Title: "verdict", Wrap: true},
		}, Colours: run.Colours}
		for _, r := range run.Records.All() {
			c, known := kernels.CaseOf(r.Function)
			if !known || c.Moves() != part.moves {
				continue
			}
			p, measured := v.peakOf(r)
			if !measured {
				failed = append(failed, fmt.Sprintf("%s: %s: %s", report.Printable(r.Name), r.Status,
					report.Printable(r.Error)))
				continue
			}
			cells := report.CellsOf(r)
			where := c.Level
			if !part.moves {
				where = c.Using
			}
			t.Add(c.What, where, fmt.Sprint(c.CPUs), report.Rate(p.PerS)+part.unit, cells.Within, perCycle(c, r, p.PerS),
				cells.Verdict)
		}
		if t.Len() == 0 {
			continue
		}
		if err := t.Write(w, run.Width); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		failed = append(failed, "")
	}
	_, err := io.WriteString(w, strings.Join(failed, "\n"))
	return err
}

// perCycle returns how much one CPU does in a cycle, by the clock that was seen; empty if none was, as with several
// CPUs.
func perCycle(c kernels.Case, r *invocations.Record, perS float64) string {
	if c.CPUs > 1 || r.ClockGHz == nil || !(*r.ClockGHz > 0) {
		return ""
	}
	return report.Ratio(perS / (*r.ClockGHz * 1e9))
}
