package ttreport

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/trace/ttmetal"
)

// WriteText writes each report as tables: its devices and the host, then its ops or calls.
func (v *View) WriteText(out io.Writer, reports []*ttmetal.FileReport, width int) error {
	w := bufio.NewWriter(out)
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", report.Printable(r.Files.Name), headline(r))
		for k, table := range v.tables(r) {
			if table.Len() == 0 {
				continue
			}
			if k > 0 {
				fmt.Fprintln(w)
			}
			if err := table.Write(w, width); err != nil {
				return err
			}
		}
		if v.By == ByShape {
			v.writeAdvice(w, r)
		}
	}
	return w.Flush()
}

// headline sums a report up.
func headline(r *ttmetal.FileReport) string {
	parts := []string{fmt.Sprintf("%s of %s", report.Counted(len(r.Calls), "call"), report.Counted(len(r.Ops), "op"))}
	if len(r.Devices) > 0 {
		parts = append(parts, timeLine(r))
	}
	if len(r.Signposts) > 0 {
		parts = append(parts, report.Counted(len(r.Signposts), "signpost"))
	}
	if r.AttributesLost > 0 {
		parts = append(parts, fmt.Sprintf("attributes of %s lost at Tracy's limit",
			report.Counted(r.AttributesLost, "op")))
	}
	if r.Partial {
		parts = append(parts, "PARTIAL")
	}
	return strings.Join(parts, "; ")
}

// timeLine says how long the devices computed, by both measures.
func timeLine(r *ttmetal.FileReport) string {
	on := report.Counted(len(r.Devices), "device")
	if !HasKernels(r) {
		return fmt.Sprintf("%s of firmware on %s", report.Time(r.DeviceNS), on)
	}
	windows := report.Time(r.DeviceNS) + " of firmware windows"
	if r.Overlaps > 0 {
		windows += fmt.Sprintf(", %s of which overlap", report.Grouped(int64(r.Overlaps)))
	}
	return fmt.Sprintf("%s of kernels on %s (%s)", report.Time(r.RunNS), on, windows)
}

// HasKernels reports whether the time of a kernel is known.
func HasKernels(r *ttmetal.FileReport) bool {
	return slices.ContainsFunc(r.Ops, func(o *ttmetal.OpTotals) bool { return o.WithoutKernel < o.DeviceCalls })
}

// timeTitle is the title of the column of the time by which rows are ranked.
func timeTitle(r *ttmetal.FileReport) string {
	if HasKernels(r) {
		return "kernels"
	}
	return "firmware"
}

// tables are what the text format has of a report.
func (v *View) tables(r *ttmetal.FileReport) []*texttable.Table {
	switch v.By {
	case byDevice:
		return []*texttable.Table{v.placeTable(r)}
	case ByShape:
		return []*texttable.Table{v.placeTable(r), v.shapeTable(r)}
	case ByCall:
		return []*texttable.Table{v.placeTable(r), v.callTable(r)}
	}
	return []*texttable.Table{v.placeTable(r), v.opTable(r)}
}

// mostDevices is how many devices are shown beside ops or calls. A mesh has hundreds.
const mostDevices = 8

func (v *View) placeTable(r *ttmetal.FileReport) *texttable.Table {
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: "place"}, {Title: "calls", Right: true}, {Title: "span", Right: true},
		{Title: timeTitle(r), Right: true}, {Title: "in ops", Right: true},
		{Title: "in use", Right: true}, {Title: "gaps", Right: true},
		{Title: "longest", Right: true, Spare: true}, {Title: "cores in use", Right: true, Spare: true},
		{Title: "cores", Right: true, Spare: true}, {Title: "clock", Right: true, Spare: true},
		{Title: "arch", Spare: true},
	}}
	rows := deviceRows(r)
	more := 0
	if devices := len(r.Devices); v.By != byDevice && devices > mostDevices {
		more = devices - mostDevices
		rows = append(rows[:mostDevices:mostDevices], rows[devices:]...)
	}
	for i, d := range rows {
		if more > 0 && i == mostDevices {
			t.Add(moreDevices(t, more)...)
		}
		clock, cores := "", ""
		if d.ClockMHz != nil {
			clock = fmt.Sprintf("%.0f MHz", *d.ClockMHz)
			if d.ClockDerived {
				clock = "≈ " + clock
			}
		}
		if d.Cores != nil {
			cores = report.Grouped(*d.Cores)
		}
		t.Add(d.Place, report.Grouped(d.Calls), report.Time(d.SpanNS), timeOf(d.RunNS),
			report.Time(d.BusyNS), percent(d.Utilisation),
			report.Time(d.GapNS), report.Time(d.LongestGapNS),
			percent(d.CoreUtilisation), cores, clock, report.Printable(d.Arch))
	}
	if more > 0 && len(rows) == mostDevices {
		t.Add(moreDevices(t, more)...)
	}
	return t
}

// moreDevices is a row that says how many devices are not shown.
func moreDevices(t *texttable.Table, more int) []string {
	cells := make([]string, len(t.Columns))
	cells[0] = fmt.Sprintf("(%s more: --by device)", report.Grouped(int64(more)))
	return cells
}

// opLabel is the name of an op for people. Nearly all end alike, which would push what tells them apart out of a
// narrow table.
func opLabel(op string) string {
	if short := strings.TrimSuffix(op, "DeviceOperation"); short != "" {
		op = short
	}
	return report.Printable(op)
}

// percent shows a percentage that may not be known.
func percent(p *float64) string {
	if p == nil {
		return ""
	}
	return report.Percent(*p / 100)
}

// timeOf shows a time that is nothing where there is none.
func timeOf(ns float64) string {
	if !(ns > 0) {
		return ""
	}
	return report.Time(ns)
}

func (v *View) opTable(r *ttmetal.FileReport) *texttable.Table {
	t := &texttable.Table{Columns: []texttable.Column{
		{Title: v.By, Name: true}, {Title: "calls", Right: true}, {Title: timeTitle(r), Right: true},
		{Title: "share", Right: true}, {Title: "", Spare: true}, {Title: "median", Right: true},
		{Title: "gaps before", Right: true}, {Title: "host", Right: true, Spare: true},
		{Title: "host gaps", Right: true, Spare: true}, {Title: "compile", Right: true, Spare: true},
		{Title: "writes", Right: true, Spare: true}, {Title: "cores", Right: true, Spare: true},
		{Title: "of ideal", Right: true, Spare: true}, {Title: "p90", Right: true, Spare: true},
		{Title: "max", Right: true, Spare: true}, {Title: "windows", Right: true, Spare: true},
		{Title: "not cached", Right: true, Spare: true}, {Title: "notes", Spare: true},
	}}
	shown, all := v.groups(r)
	for _, o := range shown {
		t.Add(opCells(r, o)...)
	}
	if all > len(shown) {
		t.Add(moreRow(t, all-len(shown))...)
	}
	return t
}

// moreRow is a row that says how many others a limit has cut off.
func moreRow(t *texttable.Table, more int) []string {
	cells := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if c.Name {
			cells[i] = fmt.Sprintf("(%s more)", report.Grouped(int64(more)))
			break
		}
	}
	return cells
}

func opCells(r *ttmetal.FileReport, o *ttmetal.OpTotals) []string {
	share, median, p90, most, ideal, misses := "", "", "", "", "", ""
	if o.DeviceCalls > 0 {
		share, median, p90, most = report.Percent(o.Share), report.Time(o.Runs.Quantile(0.5)),
			report.Time(o.Runs.Quantile(0.9)), report.Time(float64(o.Runs.MaxNS()))
	}
	if x := o.IdealFraction(); x <= 1 {
		ideal = report.Percent(x)
	}
	if o.CacheMisses > 0 {
		misses = report.Grouped(o.CacheMisses)
	}
	return []string{opLabel(o.Op), report.Grouped(o.Calls), timeOf(o.RunNS), share,
		report.Bar(o.RunNS, r.RunNS), median, timeOf(o.DeviceGapNS), timeOf(o.HostNS),
		timeOf(o.HostGapNS), timeOf(o.CompileNS), timeOf(o.WriteNS), cores(o), ideal, p90, most,
		timeOf(o.DeviceNS), misses, opNotes(o)}
}

func cores(o *ttmetal.OpTotals) string {
	switch {
	case o.MostCores == 0:
		return ""
	case o.LeastCores == o.MostCores:
		return report.Grouped(o.MostCores)
	}
	return report.Grouped(o.LeastCores) + "–" + report.Grouped(o.MostCores)
}

// opNotes says what is odd about an op's calls, and what is missing of them.
func opNotes(o *ttmetal.OpTotals) string {
	var notes []string
	if o.IdealFraction() > 1 {
		notes = append(notes, "faster than tt-metal's model")
	}
	if o.WithoutKernel > 0 && o.WithoutKernel < o.DeviceCalls {
		notes = append(notes, report.Grouped(o.WithoutKernel)+" by firmware: no time of kernels")
	}
	if o.Contradicting > 0 {
		notes = append(notes, report.Grouped(o.Contradicting)+" contradict others")
	}
	if o.WithoutDevice > 0 {
		notes = append(notes, report.Grouped(o.WithoutDevice)+" without the device")
	}
	if o.WithoutHost > 0 {
		notes = append(notes, report.Grouped(o.WithoutHost)+" without the host")
	}
	return strings.Join(notes, ", ")
}
