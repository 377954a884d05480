package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// writeText writes where it was measured, a table of what stands alone, a ranking for each group, what did not end well, and a line of counts.
func writeText(w io.Writer, run Run) error {
	var b bytes.Buffer
	writeHeading(&b, run)
	ranked := map[int]bool{}
	for _, ranking := range run.Rankings {
		for _, row := range ranking.Rows {
			ranked[row.Variant] = true
		}
	}
	if err := writeTimes(&b, run, ranked); err != nil {
		return err
	}
	for _, ranking := range run.Rankings {
		if err := writeRanking(&b, run, ranking); err != nil {
			return err
		}
	}
	if err := writeDispatches(&b, run); err != nil {
		return err
	}
	if err := writeUntimed(&b, run); err != nil {
		return err
	}
	writeNotes(&b, run)
	writeCounts(&b, run)
	_, err := w.Write(b.Bytes())
	return err
}

// writeHeading says what the numbers depend on.
func writeHeading(b *bytes.Buffer, run Run) {
	fmt.Fprintf(b, "machine  %s\n", flow(machine(run.Environment), cmp.Or(run.Width, 100)))
	if len(run.Records) == 0 {
		return
	}
	if options := distinct(run.Records, optionsText); options[0] != "-" {
		fmt.Fprintf(b, "runtime  %s\n", strings.Join(options, "; "))
	}
	fmt.Fprintf(b, "mode     %s\n", strings.Join(distinct(run.Records, func(r invocations.Record) string { return string(r.Mode) }), ", "))
	fmt.Fprintf(b, "sandbox  %s\n", strings.Join(distinct(run.Records, func(r invocations.Record) string {
		if len(r.Layers) == 0 {
			if r.Status == invocations.Skipped {
				return "" // never came near a sandbox
			}
			return "none"
		}
		return strings.Join(r.Layers, " + ")
	}), ", elsewhere "))
}

// optionsText is a runtime with the options of the artifact, in the order of their names; empty without options.
func optionsText(r invocations.Record) string {
	text := ""
	for _, key := range slices.Sorted(maps.Keys(r.Options)) {
		text += fmt.Sprintf(" %s=%s", key, r.Options[key])
	}
	if text == "" {
		return ""
	}
	return r.Runtime + text
}

// machine is what of the environment a reader of a table needs; the journal has all of it.
func machine(environment map[string]string) []string {
	var parts []string
	for _, row := range []struct{ key, format string }{
		{"cpu", "%s"}, {"cpus", "%s CPUs"}, {"caches", "%s"}, {"os", "%s"}, {"kernel", "kernel %s"}, {"governor", "governor %s"}, {"load", "load %s"},
	} {
		if value := environment[row.key]; value != "" {
			if row.key == "load" {
				value, _, _ = strings.Cut(value, " ") // of the last minute
			}
			parts = append(parts, Printable(fmt.Sprintf(row.format, value)))
		}
	}
	if len(parts) == 0 {
		return []string{"not known"}
	}
	return parts
}

// flow joins parts of the heading and begins a new line where the next part does not fit.
func flow(parts []string, width int) string {
	const indent = 9
	text, column := parts[0], indent+utf8.RuneCountInString(parts[0])
	for _, part := range parts[1:] {
		n := utf8.RuneCountInString(part) + 2
		if column+n+1 > width {
			text, column = text+";\n"+strings.Repeat(" ", indent)+part, indent+n-2
			continue
		}
		text, column = text+"; "+part, column+n
	}
	return text
}

// distinct is what the records say, each text once, in order of appearance; "-" when they say nothing.
func distinct(records []invocations.Record, text func(invocations.Record) string) []string {
	var all []string
	for _, r := range records {
		if s := Printable(text(r)); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return []string{"-"}
	}
	return all
}

// modeColumn is the mode of a record where modes differ, else nothing: the heading says it.
func modeColumn(run Run, r invocations.Record) string {
	if r.Mode == run.Records[0].Mode && !slices.ContainsFunc(run.Records, func(o invocations.Record) bool { return o.Mode != r.Mode }) {
		return ""
	}
	return string(r.Mode)
}

func writeTimes(b *bytes.Buffer, run Run, ranked map[int]bool) error {
	t := Table{Columns: []Column{
		{Title: "name", Name: true}, {Title: "mode"}, {Title: "median", Right: true}, {Title: "±", Right: true}, {Title: "min", Right: true, Spare: true},
		{Title: "p90", Right: true, Spare: true}, {Title: "FLOP/s", Right: true}, {Title: "byte/s", Right: true},
		{Title: "simulated cycles", Right: true}, {Title: "iterations", Right: true, Spare: true}, {Title: "wall/CPU", Right: true}, {Title: "verdict"},
	}}
	for i, r := range run.Records {
		if ranked[i] || r.Status != invocations.OK || !r.Timed() {
			continue
		}
		s := r.Summary()
		unit := unitOf(s.MedianNS)
		t.Add(Printable(r.Name), modeColumn(run, r), unit.format(s.MedianNS), plusMinus(s), unit.format(s.MinNS), unit.format(s.P90NS),
			rateText(r.FLOPPerS), rateText(r.BytePerS), cyclesText(r), iterations(r), wallToCPU(s, r), verdictText(r))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	b.WriteByte('\n')
	return t.Write(b, run.Width)
}

// plusMinus is half the confidence interval against the median, or the number of samples when they are too few for an interval.
func plusMinus(s invocations.Summary) string {
	if s.N < 6 {
		return fmt.Sprintf("n = %d", s.N)
	}
	if s.MedianNS <= 0 {
		return "-"
	}
	return Percent((s.CIHighNS - s.CILowNS) / 2 / s.MedianNS)
}

func rateText(perSecond *float64) string {
	if perSecond == nil {
		return ""
	}
	return Rate(*perSecond)
}

// cyclesText is what a simulator counted, which is in no column of times.
func cyclesText(r invocations.Record) string {
	if r.SimulatedCycles == nil {
		return ""
	}
	return Grouped(*r.SimulatedCycles)
}

func iterations(r invocations.Record) string {
	if r.Iterations == nil {
		return ""
	}
	return Grouped(*r.Iterations)
}

// wallToCPU is the ratio of wall to CPU time, both gross: well above 1, the thread waited or other work took its CPU.
func wallToCPU(s invocations.Summary, r invocations.Record) string {
	if s.CPUMedianNS <= 0 || r.RawMedianNS == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *r.RawMedianNS/s.CPUMedianNS)
}

// verdictText is every flaw of a measurement, "clean" without one.
func verdictText(r invocations.Record) string {
	if len(r.Verdicts) == 0 {
		return ""
	}
	texts := make([]string, len(r.Verdicts))
	for i, v := range r.Verdicts {
		texts[i] = Printable(string(v))
	}
	return strings.Join(texts, ", ")
}

func writeRanking(b *bytes.Buffer, run Run, ranking Ranking) error {
	how := ranking.Method
	if ranking.Method == stats.PairedRounds {
		how = fmt.Sprintf("%d %s", ranking.Rounds, how)
	}
	fmt.Fprintf(b, "\n%s: %s, by %s\n", Printable(ranking.Group), Counted(len(ranking.Rows), "variant"), how)
	if ranking.Note != "" {
		fmt.Fprintf(b, "  (%s)\n", ranking.Note)
	}
	t := Table{Columns: []Column{
		{Title: "rank", Right: true}, {Title: "name", Name: true}, {Title: "median", Right: true}, {Title: "±", Right: true},
		{Title: "ratio", Right: true}, {Title: "95 % interval", Right: true}, {Title: "verdict"},
	}}
	for i, row := range ranking.Rows {
		r := run.Records[row.Variant]
		s := r.Summary()
		t.Add(fmt.Sprint(i+1), Printable(r.Name), unitOf(s.MedianNS).format(s.MedianNS), plusMinus(s), ratioText(row), ratioInterval(row), standingText(row, r))
	}
	return t.Write(b, run.Width)
}

func ratioText(row stats.Row) string {
	if !(row.Ratio > 0) {
		return "-"
	}
	return significant(row.Ratio, 4)
}

func ratioInterval(row stats.Row) string {
	if row.Standing == stats.Best || !(row.Low > 0) {
		return ""
	}
	return fmt.Sprintf("%s … %s", significant(row.Low, 4), significant(row.High, 4))
}

// standingText is the standing, with the effect that would have been found where none was, and the flaws of the measurement.
func standingText(row stats.Row, r invocations.Record) string {
	text := string(row.Standing)
	if (row.Standing == stats.Same || row.Standing == stats.Unknown) && row.Detectable >= 0 {
		text += fmt.Sprintf(" (detects %s)", Percent(row.Detectable))
	}
	if flaws := verdictText(r); flaws != "" && flaws != string(invocations.Clean) {
		text += "; " + flaws
	}
	return text
}

// writeUntimed lists what has no time: what did not end well, and what was only checked.
func writeUntimed(b *bytes.Buffer, run Run) error {
	t := Table{Columns: []Column{{Title: "name", Name: true}, {Title: "status"}, {Title: "reason"}}}
	for _, status := range statuses(run) {
		for _, r := range run.Records {
			if r.Status == status && (status != invocations.OK || !r.Timed()) {
				t.Add(Printable(r.Name), string(status), untimedReason(r))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	b.WriteByte('\n')
	return t.Write(b, 0) // reasons are whole
}

// statuses are all statuses in order of display, those that only a later zonemark knows at the end.
func statuses(run Run) []invocations.Status {
	all := slices.Clone(invocations.Statuses[:])
	for _, r := range run.Records {
		if !slices.Contains(all, r.Status) {
			all = append(all, r.Status)
		}
	}
	return all
}

func untimedReason(r invocations.Record) string {
	switch {
	case r.Error != "":
		return Printable(r.Error)
	case r.Stop == "check":
		return "checked, not timed"
	case r.Status == invocations.OK:
		return "not timed: every batch was set apart"
	case r.Crash != nil && r.Crash.Signal != "":
		return Printable(r.Crash.Signal + " in phase " + r.Crash.Phase)
	}
	return "no reason given"
}

// writeNotes writes each note once, with the name of its record, or the number of records where several have it.
func writeNotes(b *bytes.Buffer, run Run) {
	var order []string
	names := map[string][]string{}
	for _, r := range run.Records {
		for _, note := range r.Notes {
			if names[note] == nil {
				order = append(order, note)
			}
			names[note] = append(names[note], r.Name)
		}
	}
	if len(order) > 0 {
		b.WriteByte('\n')
	}
	for _, note := range order {
		whose := names[note][0]
		if more := len(names[note]) - 1; more > 0 {
			whose = fmt.Sprintf("%s and %d more", whose, more)
		}
		fmt.Fprintf(b, "note: %s: %s\n", Printable(whose), Printable(note))
	}
}

func writeCounts(b *bytes.Buffer, run Run) {
	b.WriteByte('\n')
	if !run.Complete {
		b.WriteString("NOT COMPLETE: the run did not come to its end; continue it with --resume.\n")
	}
	count := map[invocations.Status]int{}
	timed := 0
	for _, r := range run.Records {
		count[r.Status]++
		if r.Timed() {
			timed++
		}
	}
	if timed == 0 {
		b.WriteString("Nothing was measured.\n")
	}
	if len(run.Records) == 0 {
		b.WriteString("There are no results.\n")
		return
	}
	var parts []string
	for _, status := range statuses(run) {
		if n := count[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(b, "%s: %s.\n", Counted(len(run.Records), "invocation"), strings.Join(parts, ", "))
}
