package modelbench

import (
	"fmt"
	"io"

	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
)

// writeSpread writes the figures end to end of several hosts, and how much these differ. what names their runtime if
// there are others.
func writeSpread(w io.Writer, what string, records []*bench.RunRecord, width int) error {
	if what != "" {
		what = " with " + what
	}
	fmt.Fprintf(w, "\nend to end%s, on each host: %s\n", what, between(records[0]))
	table := texttable.Table{Columns: []texttable.Column{{Title: "host"}, {Title: "device", Name: true},
		{Title: "total_time", Right: true}, {Title: "samples/s", Right: true}, {Title: "iteration", Right: true},
		{Title: "95 % interval", Right: true}, {Title: "min", Right: true}, {Title: "verdict", Wrap: true}}}
	for _, r := range records {
		z := &r.Zonemark
		cells := []string{report.Printable(r.MachineName), report.Printable(r.Arch), "", "", "", "", "", ""}
		if i := z.Iteration; i != nil {
			cells[2], cells[3] = report.Time(r.TotalTime*1e9), magnitude(r.SamplesPerSec)
			cells[4], cells[6] = report.Time(i.MedianNS), report.Time(i.MinNS)
			cells[5] = report.Time(i.CILowNS) + " … " + report.Time(i.CIHighNS)
		}
		cells[7] = verdictCell(r)
		table.Add(cells...)
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "  %s\n", differenceText(records[0].Zonemark.Hosts))
	return err
}

// differenceText says how much hosts differ.
func differenceText(h *bench.Hosts) string {
	switch {
	case h == nil:
		return "fewer than two hosts have figures, so that there is no difference between hosts"
	case h.BetweenHostsNS == nil:
		return "how much hosts differ beyond their repetitions is not known: --repetitions 2 or more tells"
	case *h.BetweenHostsNS == 0:
		return "the hosts differ by no more than their repetitions do (" + report.Percent(*h.BetweenNS/h.MedianNS) + ")"
	}
	text := fmt.Sprintf("the hosts differ by %s beyond their repetitions (%s), as standard deviations; the slowest is "+
		"%s, +%s", report.Percent(*h.BetweenHostsNS/h.MedianNS), report.Percent(*h.BetweenNS/h.MedianNS),
		report.Printable(h.Slowest), report.Percent(h.SlowestRatio-1))
	if h.Differ {
		text += "; hosts-differ: their intervals do not touch"
	}
	return text
}
