package peaking

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
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
		t := &texttable.Table{Columns: []texttable.Column{
			{Title: part.title}, {Title: "on"}, {Title: "with"}, {Title: "CPUs", Right: true}, {Title: "rate", Right: true},
			{Title: "±", Right: true}, {Title: "per cycle", Right: true}, {Title: "verdict", Wrap: true},
		}, Colours: run.Colours}
		for r, err := range run.Records.All() {
			if err != nil {
				return err
			}
			c, known := kernels.CaseOf(r.Function)
			if !known || c.Moves() != part.moves {
				continue
			}
			for host, r := range byHost(r) {
				p, measured := v.peakOf(r)
				if !measured {
					failed = append(failed, fmt.Sprintf("%s: %s: %s", report.Printable(r.Name), r.Status,
						report.Printable(r.Error)))
					continue
				}
				t.Add(c.What, report.Printable(host), cmp.Or(c.Level, c.Using), fmt.Sprint(c.CPUs), report.Rate(p.PerS)+part.unit,
					report.CellsOf(r).Within, perCycle(c, r, p.PerS), report.CellsOf(r).Verdict)
			}
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

// byHost yields what each of several hosts has measured, with its name; without such hosts the record itself.
func byHost(r *invocations.Record) iter.Seq2[string, *invocations.Record] {
	return func(yield func(string, *invocations.Record) bool) {
		if len(r.Hosts) == 0 {
			yield("", r)
		}
		for _, h := range r.Hosts {
			if own := ofHost(r, h); !yield(h.Host, &own) {
				return
			}
		}
	}
}

// perCycle returns how much one CPU does in a cycle, by the clock that was seen; empty if none was, as with several
// CPUs.
func perCycle(c kernels.Case, r *invocations.Record, perS float64) string {
	if c.CPUs > 1 || r.ClockGHz == nil || !(*r.ClockGHz > 0) {
		return ""
	}
	return report.Ratio(perS / (*r.ClockGHz * 1e9))
}
