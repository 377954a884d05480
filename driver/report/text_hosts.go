package report

import (
	"bufio"
	"fmt"
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// hostCell returns the cell of a record with the host that measured it. It is empty if one host has measured all
// records, or each record was measured on all hosts.
func (o *overview) hostCell(r *invocations.Record) string {
	if !o.severalHosts {
		return ""
	}
	return Printable(r.Host)
}

// hostsDiffer formats the standard deviation of hosts, beyond that of launches, relative to the median.
func hostsDiffer(r *invocations.Record) string {
	if r.BetweenHostsNS == nil || r.MedianNS == nil || !(*r.MedianNS > 0) {
		return ""
	}
	return Percent(*r.BetweenHostsNS / *r.MedianNS)
}

// slowestHost names the slowest of the hosts that have all measured a record, and how much longer it took than the
// median of the hosts. It names none if the launches explain all difference.
func slowestHost(r *invocations.Record) string {
	h, longer, known := r.SlowestHost()
	if !known || r.BetweenHostsNS == nil || *r.BetweenHostsNS <= 0 || longer <= 0 {
		return ""
	}
	return fmt.Sprintf("%s +%s", Printable(h.Host), Percent(longer))
}

// writeHosts writes what each host has measured of the records that all hosts have measured, if the user asks for more.
func writeHosts(b *bufio.Writer, run Run, seen *overview) error {
	if !run.Verbose || !seen.onAll {
		return nil
	}
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true}, {Title: "host"}, {Title: "median", Right: true}, {Title: "±", Right: true},
		{Title: "launches", Right: true}, {Title: "verdict", Paint: verdictColour, Wrap: true},
	}, Colours: run.Colours}
	for r, err := range run.Records.All() {
		if err != nil {
			return err
		}
		for _, h := range r.Hosts {
			median, within, count := "", "", ""
			if i := h.Interval(); i.Known() {
				median, within = Time(i.Value), halfWidth(i)
			}
			if h.Launches != nil {
				count = Grouped(int64(*h.Launches))
			}
			t.Add(Printable(r.Name), Printable(h.Host), median, within, count, hostVerdict(h))
		}
	}
	b.WriteByte('\n')
	return t.Write(b, run.Width)
}

// hostVerdict returns the verdicts on what a host has measured, or how it ended.
func hostVerdict(h invocations.HostRecord) string {
	if h.Status != invocations.OK {
		return Printable(strings.TrimSuffix(fmt.Sprintf("%s: %s", h.Status, h.Error), ": "))
	}
	return verdictText(invocations.Record{Verdicts: h.Verdicts})
}
