package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"zonemark/driver/stats"
	"zonemark/invocations"
)

// modeColumn is the mode of a record where modes differ, else nothing: the heading says it.
func modeColumn(run Run, r invocations.Record) string {
	if r.Mode == run.Records[0].Mode && !slices.ContainsFunc(run.Records, func(o invocations.Record) bool { return o.Mode != r.Mode }) {
		return ""
	}
	return string(r.Mode)
}

func writeTimes(b *bytes.Buffer, run Run, ranked map[int]bool) error {
	var rows []*invocations.Record
	for i := range run.Records {
		if r := &run.Records[i]; !ranked[i] && r.Status == invocations.OK && r.Timed() {
			rows = append(rows, r)
		}
	}
	reference := newReferenceColumns(rows)
	t := Table{Columns: []Column{
		{Title: "name", Name: true}, {Title: "mode"}, {Title: "median", Right: true}, {Title: "±", Right: true},
		{Title: reference.title, Right: true}, {Title: "±", Right: true},
		{Title: "min", Right: true, Spare: true}, {Title: "p90", Right: true, Spare: true}, {Title: "FLOP/s", Right: true}, {Title: "byte/s", Right: true},
		{Title: "simulated cycles", Right: true}, {Title: "iterations", Right: true, Spare: true}, {Title: "launches", Right: true, Spare: true},
		{Title: "quiet", Right: true, Spare: true}, {Title: "wall/CPU", Right: true}, {Title: "verdict"},
	}}
	for _, r := range rows {
		s := r.Summary()
		unit := unitOf(s.MedianNS)
		at, within := reference.cells(r)
		t.Add(Printable(r.Name), modeColumn(run, *r), unit.format(s.MedianNS), plusMinus(r), at, within, unit.format(s.MinNS), unit.format(s.P90NS),
			rateText(r.FLOPPerS), rateText(r.BytePerS), cyclesText(*r), iterations(*r), launches(r), quiet(r), wallToCPU(s, *r), verdictText(*r))
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	return t.Write(b, run.Width)
}

// leastSamples is the number of samples below which their median has no confidence interval.
const leastSamples = 6

// plusMinus is half the confidence interval against the median: between launches where there are some, else of the samples. Where there are too few for an
// interval, it is their number.
func plusMinus(r *invocations.Record) string {
	s := r.Summary()
	switch {
	case r.Launches != nil && *r.Launches < 2:
		return fmt.Sprintf("n = %d", *r.Launches)
	case r.Launches == nil && s.N < leastSamples:
		return fmt.Sprintf("n = %d", s.N)
	}
	return halfWidth(stats.Interval{Value: s.MedianNS, Low: s.CILowNS, High: s.CIHighNS})
}

func halfWidth(i stats.Interval) string {
	if i.Value <= 0 {
		return "-"
	}
	return Percent(i.Half() / i.Value)
}

func launches(r *invocations.Record) string {
	if r.Launches == nil {
		return ""
	}
	return Grouped(int64(*r.Launches))
}

// quiet is the share of batches that were measured while nothing else disturbed the core.
func quiet(r *invocations.Record) string {
	if r.QuietShare == nil {
		return ""
	}
	return Percent(*r.QuietShare)
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
func wallToCPU(s stats.Summary, r invocations.Record) string {
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
