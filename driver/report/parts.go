package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// Part is a part of the time of a call: a dispatch, the gaps between dispatches, or the host's work around them.
type Part struct {
	Name                string
	NS                  float64 // wall time
	Workgroups, Threads int     // 0: not known or none
	SummedNS            float64 // over workgroups; 0: not known
	FLOPPerS            float64 // derived from the name; 0: not known
	Place               string  // source file and line
	// Of one issue: allocations on the heap, and the most bytes that it held there and on the stack; 0: none, or not
	// known.
	Allocations           float64
	PeakBytes, StackBytes int64
}

// WriteParts writes the parts of one call as a table, with bars relative to their sum. It leaves out parts that took no
// time, except dispatches.
func WriteParts(w io.Writer, parts []Part, width int) error {
	t := Table{Columns: []Column{
		{Title: "dispatch", Name: true},
		{Title: "wall", Right: true},
		{Title: "share", Right: true},
		{Title: "", Spare: true}, // bar
		{Title: "FLOP/s, by name", Right: true, Spare: true},
		{Title: "workgroups", Spare: true},
		{Title: "summed", Right: true, Spare: true},
		{Title: "allocations", Right: true, Spare: true},
		{Title: "peak memory", Right: true, Spare: true},
		{Title: "stack", Right: true, Spare: true},
		{Title: "source", Spare: true},
	}}
	whole := 0.0
	for _, p := range parts {
		whole += p.NS
	}
	for _, p := range parts {
		if p.NS == 0 && p.Workgroups == 0 {
			continue
		}
		share, summed, rate, allocations := "", "", "", ""
		if p.Allocations > 0 {
			allocations = strconv.FormatFloat(p.Allocations, 'g', 4, 64)
		}
		if p.FLOPPerS > 0 {
			rate = Rate(p.FLOPPerS)
		}
		if whole > 0 {
			share = Percent(p.NS / whole)
		}
		if p.SummedNS > 0 {
			summed = Time(p.SummedNS)
		}
		t.Add(Printable(p.Name), Time(p.NS), share, Bar(p.NS, whole), rate, p.workers(), summed,
			allocations, Bytes(p.PeakBytes), Bytes(p.StackBytes), Printable(p.Place))
	}
	if t.Len() == 0 {
		return nil
	}
	return t.Write(w, width)
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
func writeDispatches(b *bytes.Buffer, run Run) error {
	for i := range run.Records {
		r := &run.Records[i]
		if r.DispatchSource == invocations.NoSource || r.TracedNS == nil {
			continue
		}
		heading := fmt.Sprintf("%s: %s a call by %s%s", Printable(r.Name), Time(*r.TracedNS),
			sourceText(r.DispatchSource), overheadText(r))
		fmt.Fprintf(b, "\n%s\n", hang(heading, run.Width, 2))
		if err := WriteParts(b, recordParts(r), run.Width); err != nil {
			return err
		}
	}
	return nil
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

func recordParts(r *invocations.Record) (list []Part) {
	value := func(p *float64) float64 {
		if p == nil {
			return 0
		}
		return *p
	}
	for _, d := range r.Dispatches {
		p := Part{
			Name: d.Name, NS: value(d.MedianNS), Workgroups: d.Workgroups, Threads: d.Threads,
			FLOPPerS:    value(d.FLOPPerS),
			Allocations: value(d.Allocations), PeakBytes: d.PeakBytes, StackBytes: d.StackBytes,
		}
		if d.SourceFile != "" {
			p.Place = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine)
		}
		list = append(list, p)
	}
	return append(list,
		Part{Name: "gaps", NS: value(r.GapNS)},
		Part{Name: "host", NS: value(r.HostNS)},
		Part{Name: "unexplained", NS: value(r.UnexplainedNS)})
}
