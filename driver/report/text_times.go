package report

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// modeCell returns the cell "mode" of a record. It is empty if all records have the same mode, since the heading has
// it.
func (o *overview) modeCell(r *invocations.Record) string {
	if !o.severalModes {
		return ""
	}
	return string(r.Mode)
}

// moreCells are the cells of a row that are shown only if the user asks for more.
type moreCells struct{ min, p90, iterations, launches, quiet, wallCPU string }

func moreOf(r *invocations.Record) moreCells {
	s := r.Summary()
	unit := figures.UnitOf(s.MedianNS)
	return moreCells{unit.Format(s.MinNS), unit.Format(s.P90NS), iterations(*r), launches(r), quiet(r), wallToCPU(s, *r)}
}

// writeTimes writes a row for each record with a time that no ranking has: one figure with its interval, the one that
// was judged, and what else is known if the user asks for more.
func writeTimes(b *bufio.Writer, run Run, seen *overview) error {
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true},
		{Title: "mode"},
		{Title: "on"},
		{Title: "median", Right: true},
		{Title: "±", Right: true},
		{Title: "hosts", Right: true},
		{Title: "slowest"},
		{Title: seen.reference.title, Right: true},
		{Title: "±", Right: true},
		{Title: "min", Right: true, Spare: true},
		{Title: "p90", Right: true, Spare: true},
		{Title: "device", Right: true},
		{Title: "host", Right: true},
		{Title: "FLOP/s", Right: true},
		{Title: "byte/s", Right: true},
		{Title: "simulated cycles", Right: true},
		{Title: "iterations", Right: true, Spare: true},
		{Title: "launches", Right: true, Spare: true},
		{Title: "quiet", Right: true, Spare: true},
		{Title: "user", Right: true, Spare: true},
		{Title: "system", Right: true, Spare: true},
		{Title: "wall/CPU", Right: true},
		{Title: "verdict", Paint: verdictColour, Wrap: true},
	}, Colours: run.Colours}
	for r, err := range seen.notRanked(run) {
		if err != nil {
			return err
		}
		if r.Status != invocations.OK || !r.Timed() {
			continue
		}
		f, more := seen.reference.cells(r, run.Verbose), moreCells{}
		if run.Verbose {
			more = moreOf(r)
		}
		t.Add(Printable(r.Name), seen.modeCell(r), seen.hostCell(r), f.median, f.ofMedian, hostsDiffer(r), slowestHost(r),
			f.compared, f.ofCompared, more.min, more.p90,
			deviceTime(r, r.DeviceNS), deviceTime(r, r.HostNS), rateText(r.FLOPPerS), rateText(r.BytePerS),
			cyclesText(*r), more.iterations, more.launches, more.quiet, processTime(r, invocations.UserProperty),
			processTime(r, invocations.SystemProperty), more.wallCPU, verdictText(*r))
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteByte('\n')
	return t.Write(b, run.Width)
}

// leastSamples is the number of samples below which their median has no confidence interval.
const leastSamples = 6

// plusMinus formats half the confidence interval relative to the median. The interval is between launches if there are
// some, else of the samples. If there are too few for an interval, plusMinus returns their number.
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
	if i.Value <= 0 || math.IsNaN(i.Half()) {
		return "-"
	}
	return Percent(i.Half() / i.Value)
}

// deviceTime formats a part of a profiled call, if a device other than the CPU ran the call's dispatches.
func deviceTime(r *invocations.Record, part *float64) string {
	if r.DeviceNS == nil || part == nil {
		return ""
	}
	return Time(*part)
}

func launches(r *invocations.Record) string {
	if r.Launches == nil {
		return ""
	}
	return Grouped(int64(*r.Launches))
}

// quiet formats the share of batches that were measured while nothing disturbed the core.
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

// cyclesText formats the cycles that a simulator counted, which are not times.
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

// processTime formats a CPU time of the processes of a command; empty for other calls.
func processTime(r *invocations.Record, property string) string {
	ns, err := strconv.ParseFloat(r.Properties[property], 64)
	if err != nil || ns < 0 {
		return ""
	}
	return Time(ns)
}

// wallToCPU formats the ratio of wall to CPU time, both with overhead. If it is well above 1, the thread waited or
// other work took its CPU.
func wallToCPU(s stats.Summary, r invocations.Record) string {
	if s.CPUMedianNS <= 0 || r.RawMedianNS == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *r.RawMedianNS/s.CPUMedianNS)
}

// verdictText lists the flaws of a measurement; "clean" if there are none.
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
