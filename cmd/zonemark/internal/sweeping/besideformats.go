package sweeping

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/compare"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/foreign"
)

func formats() []string { return []string{rowtext.Text, rowtext.CSV, rowtext.NDJSON} }

// line is a configuration on one runtime in the csv and ndjson formats. Fields are added at the end. Ratios are to the
// time on the first runtime that --runtime names.
type line struct {
	Operation     string          `csv:"operation" json:"operation"`             // op_name of the operation
	Test          int             `csv:"test_id" json:"test_id"`                 // position of the configuration, from 0
	Shape         string          `csv:"shape" json:"shape"`                     // of the output, with its format
	Runtime       string          `csv:"runtime" json:"runtime"`                 // the runtime that ran it
	Device        string          `csv:"device" json:"device"`                   // the device of the runtime
	Status        string          `csv:"status" json:"status"`                   // ok, not applied, or what went wrong
	MedianNS      *float64        `csv:"median_ns" json:"median_ns,omitempty"`   // median time of a call
	LowNS         *float64        `csv:"ci_low_ns" json:"ci_low_ns,omitempty"`   // begins the interval of the median
	HighNS        *float64        `csv:"ci_high_ns" json:"ci_high_ns,omitempty"` // ends the interval of the median
	RatioTo       string          `csv:"ratio_to" json:"ratio_to,omitempty"`     // the runtime that ratios are relative to: the first one
	Ratio         *float64        `csv:"ratio" json:"ratio,omitempty"`           // time divided by that on the first runtime
	Low           *float64        `csv:"ratio_low" json:"ratio_low,omitempty"`   // begins the interval of the ratio
	High          *float64        `csv:"ratio_high" json:"ratio_high,omitempty"` // ends the interval of the ratio; empty if it has no end
	Difference    compare.Verdict `csv:"difference" json:"difference,omitempty"` // faster, slower, same or undecided
	By            string          `csv:"by" json:"by,omitempty"`                 // how the ratio was found
	Verdict       string          `csv:"verdict" json:"verdict,omitempty"`       // how far to trust the measurement
	Reason        string          `csv:"reason" json:"reason,omitempty"`         // why there is no time
	Configuration string          `csv:"configuration" json:"configuration"`     // as in the rows of the runtime

	// of --spread
	BetweenHostsNS *float64 `csv:"between_hosts_ns" json:"between_hosts_ns,omitempty"` // standard deviation of hosts
	SlowestHost    string   `csv:"slowest_host" json:"slowest_host,omitempty"`         // the host that took longest
	SlowestRatio   *float64 `csv:"slowest_ratio" json:"slowest_ratio,omitempty"`       // median of that host, divided by that of all
}

func newLine(c *compared, at *standing, on, first *side) line {
	l := line{
		Operation: c.operation, Test: c.configuration.Index, Shape: shape(c.configuration), Runtime: on.target.Runtime,
		Device: on.target.Device, Status: at.status(), Reason: foreign.Line(at.why()), Difference: at.verdict, By: at.how,
		Configuration: c.configuration.Key(),
		Ratio:         invocations.Finite(at.ratio), Low: invocations.Finite(at.low), High: invocations.Finite(at.high),
	}
	if at.verdict != "" {
		l.RatioTo = first.target.Runtime
	}
	if r := at.record; r != nil && r.Status == invocations.OK && r.Timed() {
		l.MedianNS, l.LowNS, l.HighNS, l.BetweenHostsNS = r.MedianNS, r.CILowNS, r.CIHighNS, r.BetweenHostsNS
		if slowest, longer, known := r.SlowestHost(); known {
			ratio := 1 + longer
			l.SlowestHost, l.SlowestRatio = slowest.Host, &ratio
		}
		var verdicts []string
		for _, v := range r.Verdicts {
			verdicts = append(verdicts, string(v))
		}
		l.Verdict = strings.Join(verdicts, " ")
	}
	return l
}

// writeBeside writes all configurations of the sweep on its runtimes beside each other.
func (s *Sweep) writeBeside() error {
	var lines []line
	for _, o := range s.operations {
		more, err := s.beside(o)
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	if s.format != rowtext.Text {
		return rowtext.Write(s.Out, s.format, lines)
	}
	width := cli.TerminalWidth(s.Out)
	if err := s.writeConfigurations(s.Out, lines, width); err != nil {
		return err
	}
	fmt.Fprintln(s.Out)
	return s.writeSummary(s.Out, lines, width)
}

// writeConfigurations writes a row for each configuration: its time on each runtime, and the ratios to the first one.
func (s *Sweep) writeConfigurations(w io.Writer, lines []line, width int) error {
	columns := []texttable.Column{{Title: "test", Name: true}, {Title: "output", Spare: true}}
	for i, d := range s.sides {
		columns = append(columns, texttable.Column{Title: d.target.Runtime, Right: true},
			texttable.Column{Title: "±", Right: true, Spare: true})
		if i > 0 {
			columns = append(columns, texttable.Column{Title: s.ratioTitle(i), Right: true},
				texttable.Column{Title: "95 % interval", Right: true})
		}
	}
	table := texttable.Table{Columns: append(columns, texttable.Column{Title: "verdict", Wrap: true})}
	for ; len(lines) > 0; lines = lines[len(s.sides):] {
		cells := []string{fmt.Sprintf("%s/%d", report.Printable(lines[0].Operation), lines[0].Test), lines[0].Shape}
		on := lines[:len(s.sides)]
		for i, l := range on {
			cells = append(cells, l.timeCells()...)
			if i > 0 {
				cells = append(cells, l.ratioCells()...)
			}
		}
		table.Add(append(cells, remarks(on))...)
	}
	return table.Write(w, width)
}

// ratioTitle is what the ratios of a runtime are: "iree/tt".
func (s *Sweep) ratioTitle(i int) string {
	return s.sides[i].target.Runtime + "/" + s.sides[0].target.Runtime
}

// timeCells are the cells of a time and of its uncertainty.
func (l *line) timeCells() []string {
	if l.MedianNS == nil {
		return []string{l.Status, ""}
	}
	within := ""
	if l.LowNS != nil && l.HighNS != nil && *l.MedianNS > 0 {
		within = report.Percent((*l.HighNS - *l.LowNS) / 2 / *l.MedianNS)
	}
	return []string{report.Time(*l.MedianNS), within}
}

// ratioCells are the cells of a ratio and of its interval.
func (l *line) ratioCells() []string {
	if l.Ratio == nil {
		return []string{"", ""}
	}
	interval := ""
	if l.Low != nil && l.High != nil {
		interval = fmt.Sprintf("%s … %s", report.Ratio(*l.Low), report.Ratio(*l.High))
	}
	return []string{report.Ratio(*l.Ratio), interval}
}

// remarks say what there is to say of a configuration on all runtimes: how they compare, or why there is no time.
func remarks(on []line) string {
	var texts []string
	for _, l := range on {
		if l.Difference != "" {
			texts = append(texts, fmt.Sprintf("%s %s", l.Runtime, l.Difference))
		}
		if l.Reason != "" {
			texts = append(texts, fmt.Sprintf("%s: %s", l.Runtime, l.Reason))
		}
	}
	other := func(l line) bool { return l.Reason != on[0].Reason }
	if on[0].Reason != "" && !slices.ContainsFunc(on, other) {
		return on[0].Reason
	}
	return strings.Join(texts, "; ")
}

// writeSummary writes a row for each operation and runtime but the first: how many configurations could be compared,
// and what came of it.
func (s *Sweep) writeSummary(w io.Writer, lines []line, width int) error {
	table := texttable.Table{Columns: []texttable.Column{{Title: "operation", Name: true}, {Title: "ratio of"},
		{Title: "geometric mean", Right: true}, {Title: "least … largest", Right: true},
		{Title: "compared", Right: true}, {Title: "faster", Right: true}, {Title: "slower", Right: true},
		{Title: "same", Right: true}, {Title: "undecided", Right: true}}}
	for _, o := range s.operations {
		for i := range s.sides[1:] {
			table.Add(summaryOf(o, lines[1+i:], s.ratioTitle(1+i), len(s.sides))...)
		}
		lines = lines[len(o.configurations)*len(s.sides):]
	}
	return table.Write(w, width)
}

// summaryOf returns the cells of an operation on one runtime, whose lines are every so many ones.
func summaryOf(o *swept, lines []line, title string, every int) []string {
	count := map[compare.Verdict]int{}
	logs, ratios, least, largest := 0.0, 0, math.Inf(1), 0.0
	for i := range o.configurations {
		l := &lines[i*every]
		if l.Ratio == nil {
			continue
		}
		count[l.Difference]++
		ratios++
		logs += math.Log(*l.Ratio)
		least, largest = min(least, *l.Ratio), max(largest, *l.Ratio)
	}
	cells := []string{report.Printable(o.Name), title, "", "", fmt.Sprintf("%d of %d", ratios, len(o.configurations))}
	if ratios > 0 {
		cells[2] = report.Ratio(math.Exp(logs / float64(ratios)))
		cells[3] = fmt.Sprintf("%s … %s", report.Ratio(least), report.Ratio(largest))
	}
	for _, v := range []compare.Verdict{compare.Faster, compare.Slower, compare.Same, compare.Undecided} {
		cells = append(cells, fmt.Sprint(count[v]))
	}
	return cells
}
