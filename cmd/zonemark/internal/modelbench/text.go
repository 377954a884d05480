package modelbench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations/stats"
)

// writeModel writes what was measured.
func writeModel(w io.Writer, r *bench.RunRecord) {
	m := r.Zonemark.Model
	parts := []string{
		r.Args.Model + configuration(r.Args.Config), magnitude(float64(m.Parameters)) + " parameters",
		cli.Megabytes(m.WeightsBytes) + " of weights", m.DType,
		fmt.Sprintf("microbatch %d", r.Args.Microbatch),
	}
	for _, word := range []struct {
		on   bool
		text string
	}{
		{m.EmulatedFormat != "", "rounded to " + m.EmulatedFormat}, {r.Args.Training, "training"},
		{m.Tokens > 0, fmt.Sprintf("%d tokens generated", m.Tokens)},
		{m.FLOP > 0, magnitude(m.FLOP) + " FLOP"},
	} {
		if word.on {
			parts = append(parts, word.text)
		}
	}
	fmt.Fprintf(w, "model    %s\n", report.Printable(strings.Join(parts, "; ")))
}

// writeDevice writes on which device a runtime ran the model, and on which host if that is elsewhere.
func writeDevice(w io.Writer, r *bench.RunRecord, elsewhere bool) {
	d := r.Zonemark.Device
	if d == nil {
		return
	}
	host := ""
	if elsewhere {
		host = "; host " + report.Printable(r.MachineName)
	}
	fmt.Fprintf(w, "device   %s (%s); %d of %d chips%s\n", report.Printable(r.Arch), report.Printable(d.Plugin),
		d.Chips, d.Available, host)
}

func configuration(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// magnitude formats a large number with a prefix: "4.39 M".
func magnitude(n float64) string { return strings.TrimSpace(report.Rate(n)) }

// writeBenchmark writes the figures end to end, where the time went, and the flags without effect.
func writeBenchmark(w io.Writer, r *bench.RunRecord, width int) error {
	z := &r.Zonemark
	if z.Iteration != nil {
		if err := writeEndToEnd(w, r); err != nil {
			return err
		}
	}
	if a := z.Model; a != nil && a.Accuracy != nil {
		fmt.Fprintf(w, "\naccuracy of %s against float32: cosine %.6f, largest difference %.3g, largest relative "+
			"difference %.3g\n",
			report.Printable(a.EmulatedFormat), a.Accuracy.Cosine, a.Accuracy.MaxAbs, a.Accuracy.MaxRel)
	}
	if z.Trace != nil {
		if err := writeTrace(w, "", z.Trace, width); err != nil {
			return err
		}
	}
	writeRemarks(w, "", r)
	return nil
}

// writeRemarks writes the flags without effect, and the notes. The prefix names the runtime if there are several.
func writeRemarks(w io.Writer, prefix string, r *bench.RunRecord) {
	z := &r.Zonemark
	if len(z.NotApplied) > 0 {
		fmt.Fprintf(w, "\n%snot applied\n", prefix)
	}
	for _, flag := range slices.Sorted(maps.Keys(z.NotApplied)) {
		fmt.Fprintf(w, "  %s: %s\n", report.Printable(flag), report.Printable(z.NotApplied[flag]))
	}
	for _, note := range z.Notes {
		fmt.Fprintf(w, "note: %s%s\n", prefix, report.Printable(note))
	}
}

// writeComparison writes the figures of several runtimes end to end, the fastest first. where names their host.
func writeComparison(w io.Writer, where string, records []*bench.RunRecord, width int) error {
	var beside *bench.Beside
	for _, r := range records {
		beside = r.Zonemark.Beside
	}
	fmt.Fprintf(w, "\nend to end%s, beside each other: inputs and results on the device", report.Printable(where))
	if beside != nil && beside.Pairs > 0 {
		fmt.Fprintf(w, ", by %d paired repetitions", beside.Pairs)
	}
	fmt.Fprintln(w)
	table := texttable.Table{Columns: []texttable.Column{{Title: "runtime"}, {Title: "device", Name: true},
		{Title: "total_time", Right: true}, {Title: "samples/s", Right: true}, {Title: "iteration", Right: true},
		{Title: "min", Right: true}, {Title: "ratio", Right: true}, {Title: "95 % interval", Right: true},
		{Title: "compiling", Right: true, Spare: true}, {Title: "verdict", Wrap: true}}}
	var shown []*bench.RunRecord
	if beside != nil {
		for _, row := range beside.Rows {
			shown = append(shown, records[row.Record])
			addBeside(&table, records[row.Record], &row)
		}
	}
	for _, r := range records {
		if !slices.Contains(shown, r) {
			addBeside(&table, r, nil)
		}
	}
	return table.Write(w, width)
}

// addBeside adds a runtime to the table of a comparison. row is nil if it has no results, or nothing to compare with.
func addBeside(table *texttable.Table, r *bench.RunRecord, row *bench.BesideRow) {
	z := &r.Zonemark
	cells := make([]string, len(table.Columns))
	cells[0], cells[1] = z.Runtime, report.Printable(r.Arch)
	if z.Iteration != nil {
		cells[2], cells[3] = report.Time(r.TotalTime*1e9), magnitude(r.SamplesPerSec)
		cells[4], cells[5] = report.Time(z.Iteration.MedianNS), report.Time(z.Iteration.MinNS)
		cells[8] = report.Time((z.BuildMS + z.CompileMS) * 1e6)
	}
	var result []string
	if row != nil {
		cells[6] = fmt.Sprintf("%.4g", row.Ratio)
		if row.Result != stats.Best && row.High > 0 {
			cells[7] = fmt.Sprintf("%.4g … %.4g", row.Low, row.High)
		}
		result = append(result, string(row.Result))
	}
	cells[9] = verdictCell(r, result...)
	table.Add(cells...)
}

// verdictCell lists the verdicts of a benchmark, behind other words.
func verdictCell(r *bench.RunRecord, words ...string) string {
	for _, v := range r.Zonemark.Verdicts {
		words = append(words, string(v))
	}
	if r.Error != "" {
		words = append(words, "failed")
	}
	return strings.Join(words, ", ")
}

// between says from when to when the time of an execution goes.
func between(r *bench.RunRecord) string {
	if r.OnDevice() {
		return "inputs and results on the device"
	}
	return "from the first input pushed to the last output received"
}

func writeEndToEnd(w io.Writer, r *bench.RunRecord) error {
	z, i := &r.Zonemark, r.Zonemark.Iteration
	fmt.Fprintf(w, "\nend to end: %s of %s, %s\n", report.Counted(len(z.TotalTimes), "repetition"),
		report.Counted(int(r.Args.LoopCount), "iteration"), between(r))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("total_time", "%s  (%s … %s)", report.Time(r.TotalTime*1e9), report.Time(slices.Min(z.TotalTimes)*1e9),
		report.Time(slices.Max(z.TotalTimes)*1e9))
	row("total_samples", "%s", report.Grouped(r.TotalSamples))
	row("samples_per_sec", "%s", magnitude(r.SamplesPerSec))
	row("steady", "%s samples/s by the median iteration", magnitude(z.SteadyRate))
	if z.Pipelined != nil {
		row("pipelined", "%s", pipelinedRow(r))
	}
	row("iteration", "median %s (95 %% %s … %s), p90 %s, p99 %s, min %s, n = %d",
		report.Time(i.MedianNS), report.Time(i.CILowNS), report.Time(i.CIHighNS), report.Time(i.P90NS),
		report.Time(i.P99NS), report.Time(i.MinNS), i.N)
	if z.FLOPPerSec > 0 {
		row("device", "%s FLOP/s", magnitude(z.FLOPPerSec))
	}
	exported := "export from the cache"
	if !z.ExportCached {
		exported = "export " + report.Time(z.ExportS*1e9)
	}
	compiled := ""
	if z.Compiled > 0 {
		compiled = fmt.Sprintf(" (%d of %s from the cache)", z.Compiled, report.Counted(len(z.Modules), "program"))
	}
	row("beforehand", "%s; compiling %s%s", exported, report.Time((z.BuildMS+z.CompileMS)*1e6), compiled)
	row("verdict", "%s", verdictCell(r))
	return t.Flush()
}

// mostTraceRows is the number of rows of a trace that the text shows. The record has all.
const mostTraceRows = 25

func writeTrace(w io.Writer, prefix string, t *bench.TraceRecord, width int) error {
	partial := ""
	if t.Partial {
		partial = ", incomplete"
	}
	fmt.Fprintf(w, "\n%strace by %s%s\n", prefix, report.Printable(t.Source), partial)
	table := texttable.Table{Columns: []texttable.Column{{Title: "name", Name: true}, {Title: "calls/iteration", Right: true},
		{Title: "median", Right: true}, {Title: "total", Right: true}}}
	for _, row := range t.Rows[:min(mostTraceRows, len(t.Rows))] {
		table.Add(report.Printable(row.Name), fmt.Sprintf("%.4g", row.PerLoop), report.Time(row.MedianNS),
			report.Time(row.TotalNS))
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	if more := len(t.Rows) - mostTraceRows; more > 0 {
		fmt.Fprintf(w, "  and %d more in the record (--format json, -o)\n", more)
	}
	return nil
}
