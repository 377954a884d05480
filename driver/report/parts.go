package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
)

// Part is a part of the time of a call: a dispatch, the gaps between dispatches, or the host's work around them.
type Part struct {
	Name                string
	NS                  float64 // wall time
	Workgroups, Threads int     // 0: not known or none
	SummedNS            float64 // over workgroups; 0: not known
	FLOPPerS            float64 // derived from the name; 0: not known
	Place               string  // node of a model, or source file and line
	InFile              bool    // Place is a source file and line
	// Of one issue: allocations on the heap, and the most bytes that it held there and on the stack; 0: none, or not
	// known.
	Allocations           float64
	PeakBytes, StackBytes int64
	// The times that a tenth of the issues do not reach, and that nine of ten do not exceed; 0: not known.
	P10NS, P90NS float64
	Calls        int64 // that were timed; 0: not known
	// Of a row for several dispatches: their number, and the time of this row and those before it; 0: not such a row.
	Issues       int
	CumulativeNS float64
}

// WriteParts writes the parts of one call as a table, with bars relative to their sum. It leaves out parts that took no
// time, except dispatches. The folder that source files share stands below the table, once.
func WriteParts(w io.Writer, parts []Part, width int) error {
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "dispatch", Name: true},
		{Title: "wall", Right: true},
		{Title: "10 … 90 %", Right: true},
		{Title: "share", Right: true},
		{Title: "count", Right: true},
		{Title: "cumulative", Right: true},
		{Title: "", Spare: true}, // bar
		{Title: "calls", Right: true, Spare: true},
		{Title: "FLOP/s, by name", Right: true, Spare: true},
		{Title: "workgroups", Spare: true},
		{Title: "summed", Right: true, Spare: true},
		{Title: "allocations", Right: true, Spare: true},
		{Title: "peak memory", Right: true, Spare: true},
		{Title: "stack", Right: true, Spare: true},
		{Title: "source", Spare: true},
	}}
	whole, folder := 0.0, sharedFolder(parts)
	for _, p := range parts {
		whole += p.NS
	}
	for _, p := range parts {
		if p.NS == 0 && p.Workgroups == 0 {
			continue
		}
		share, count, cumulative, summed, rate, allocations, calls := "", "", "", "", "", "", ""
		if p.Calls > 0 {
			calls = Grouped(p.Calls)
		}
		if p.Allocations > 0 {
			allocations = Number(p.Allocations)
		}
		if p.FLOPPerS > 0 {
			rate = Rate(p.FLOPPerS)
		}
		if whole > 0 {
			share = Percent(p.NS / whole)
		}
		if p.Issues > 0 {
			count = Grouped(int64(p.Issues))
		}
		if whole > 0 && p.CumulativeNS > 0 {
			cumulative = Percent(p.CumulativeNS / whole)
		}
		if p.SummedNS > 0 {
			summed = Time(p.SummedNS)
		}
		t.Add(Printable(p.Name), Time(p.NS), p.ScatterText(), share, count, cumulative, Bar(p.NS, whole), calls, rate, p.workers(), summed,
			allocations, Bytes(p.PeakBytes), Bytes(p.StackBytes), Printable(strings.TrimPrefix(p.Place, folder)))
	}
	if t.Len() == 0 {
		return nil
	}
	if err := t.Write(w, width); err != nil || folder == "" || !t.Shows(len(t.Columns)-1, width) {
		return err
	}
	_, err := fmt.Fprintf(w, "  sources are in %s\n", Printable(folder))
	return err
}

// sharedFolder returns the folder, with the separator at its end, that all places begin with; empty if there is none. A
// single node of a model keeps its name.
func sharedFolder(parts []Part) string {
	folder, known, inFile := "", 0, false
	for _, p := range parts {
		if p.Place == "" {
			continue
		}
		if known++; known == 1 {
			folder, inFile = p.Place, p.InFile
		}
		for !strings.HasPrefix(p.Place, folder) {
			folder = parent(folder)
		}
	}
	if known == 0 || known == 1 && !inFile {
		return ""
	}
	if folder = parent(folder + "x"); folder == "/" {
		return ""
	}
	return folder
}

// parent returns the folder of a path with the separator at its end, or the folder above one.
func parent(path string) string {
	return path[:1+strings.LastIndexAny(path[:max(0, len(path)-1)], `/\`)]
}

// ScatterText returns how far single issues are from the median: "-3 … +25 %"; empty if that is not known.
func (p *Part) ScatterText() string {
	if !(p.P10NS > 0 && p.P90NS > 0 && p.NS > 0) {
		return ""
	}
	off := func(ns float64) string {
		text := Percent(math.Abs(ns/p.NS - 1))
		if ns < p.NS {
			return "-" + text
		}
		return "+" + text
	}
	return strings.TrimSuffix(off(p.P10NS), " %") + " … " + off(p.P90NS)
}

func (p *Part) workers() string {
	switch {
	case p.Workgroups == 0:
		return ""
	case p.Threads == 0:
		return Counted(p.Workgroups, "workgroup")
	}
	return fmt.Sprintf("%s on %s", Counted(p.Workgroups, "workgroup"), Counted(p.Threads, "thread"))
}

// barWidth is the number of characters of a bar as long as the call.
const barWidth = 24

// Bar draws the share of part in whole, to an eighth of a character; "" if either is not positive.
func Bar(part, whole float64) string {
	if !(whole > 0) || !(part > 0) {
		return ""
	}
	eighths := int(min(part/whole, 1)*barWidth*8 + 0.5)
	if eighths == 0 {
		return "▏"
	}
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// writeDispatches writes, for each record that has dispatches, how they and the rest share the time of a call.
func writeDispatches(b *bufio.Writer, run Run, seen *overview) error {
	for _, i := range seen.dispatched {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\n", texttable.Hang(Printable(r.Name)+": "+CallText(r), run.Width, 2))
		if err := WriteParts(b, PartsOf(r, run.Dispatches), run.Width); err != nil {
			return err
		}
	}
	return nil
}

// CallText returns the time of the call whose parts are known, and by which means they are.
func CallText(r *invocations.Record) string {
	return fmt.Sprintf("%s a call by %s%s%s", Time(*r.TracedNS), sourceText(r.DispatchSource), overheadText(r),
		quietText(r))
}

// quietText says of how many calls the parts are, and what disturbed these; empty if nobody watched.
func quietText(r *invocations.Record) string {
	text := ""
	if r.DispatchCalls != nil && r.DispatchQuietShare != nil {
		text = fmt.Sprintf("; %s, %s quiet", Counted(int(*r.DispatchCalls), "call"), Percent(*r.DispatchQuietShare))
	}
	if r.DispatchContended {
		text += "; contended: its threads waited for CPUs that other work used"
	}
	return text
}

// sourceText returns a dispatch source in words.
func sourceText(source invocations.DispatchSource) string {
	switch source {
	case invocations.ByProfiler:
		return "the runtime's profiler"
	case invocations.ByTracy:
		return "Tracy"
	}
	return Printable(string(source))
}

// overheadText formats the overhead of the pass that found the dispatches, against the measured time.
func overheadText(r *invocations.Record) string {
	if r.TraceOverheadPercent == nil || r.TraceOverheadNS == nil {
		return ""
	}
	sign := "+"
	ns := *r.TraceOverheadNS
	if ns < 0 {
		sign, ns = "-", -ns
	}
	return fmt.Sprintf(" (%s%s, %+.1f %%, against the measured median)", sign, Time(ns), *r.TraceOverheadPercent)
}

// dispatchParts returns the dispatches of a record in the program's order.
func dispatchParts(r *invocations.Record) (list []Part) {
	for _, d := range r.Dispatches {
		p := Part{
			Name: d.Name, NS: known(d.MedianNS), Workgroups: d.Workgroups, Threads: d.Threads,
			FLOPPerS: known(d.FLOPPerS), P10NS: known(d.P10NS), P90NS: known(d.P90NS), Calls: d.Count,
			Allocations: known(d.Allocations), PeakBytes: d.PeakBytes, StackBytes: d.StackBytes,
		}
		switch {
		case d.Node != "":
			p.Place = d.Node
		case d.SourceFile != "":
			p.Place, p.InFile = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine), true
		}
		list = append(list, p)
	}
	return list
}

// otherParts returns what a call spends outside of dispatches.
func otherParts(r *invocations.Record) []Part {
	return []Part{
		{Name: "gaps", NS: known(r.GapNS)},
		{Name: "host", NS: known(r.HostNS)},
		{Name: "unexplained", NS: known(r.UnexplainedNS)},
	}
}

// known returns a number of a record, 0 if it is absent.
func known(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
