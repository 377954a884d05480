package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/report/texttable"
	"zonemark/invocations"
	"zonemark/invocations/figures"
)

// The names of the counters that the report knows. A journal may hold others: raw events with names that the user gave.
const (
	counterInstructions    = "instructions"
	counterCycles          = "cycles"
	counterBranches        = "branches"
	counterBranchMisses    = "branch_misses"
	counterCacheReferences = "cache_references"
	counterCacheMisses     = "cache_misses"
	counterPageFaults      = "page_faults"
	counterContextSwitches = "context_switches"
)

var counterNames = []string{
	counterInstructions, counterCycles, counterBranches, counterBranchMisses, counterCacheReferences,
	counterCacheMisses, counterPageFaults, counterContextSwitches,
}

// counted returns a counter of the record, per call; nil if the record does not have it.
func counted(r *invocations.Record, name string) *float64 {
	if v, ok := r.Counters[name]; ok {
		return &v
	}
	return nil
}

// exactly reports whether the counter was equal in all launches.
func exactly(r *invocations.Record, name string) bool { return slices.Contains(r.Exact, name) }

// writeCounters writes the counters per call of every record that has some, if the user wants to see them. A legend
// explains the short words.
func writeCounters(b *bufio.Writer, run Run, seen *overview) error {
	if !run.Verbose && !run.Counters {
		return nil
	}
	t := texttable.Table{Columns: counterColumns(seen.otherCounters)}
	var exact, thousand bool
	for r, err := range run.Records.All() {
		if err != nil {
			return err
		}
		if r.Status != invocations.OK || !r.Timed() || len(r.Counters) == 0 {
			continue
		}
		mark, misses := "", perThousand(r)
		if r.Counters[counterInstructions] != 0 && exactly(r, counterInstructions) {
			mark, exact = "exact", true
		}
		thousand = thousand || misses != ""
		cells := []string{
			Printable(r.Name),
			seen.modeCell(r),
			countText(r, counterInstructions),
			mark,
			countText(r, counterCycles),
			ipcText(r),
			clockText(r),
			ownClockText(r),
			floorText(r),
			countText(r, counterBranches),
			missedBranches(r),
			misses,
			countText(r, counterPageFaults),
			countText(r, counterContextSwitches),
		}
		for _, name := range seen.otherCounters {
			cells = append(cells, countText(r, name))
		}
		t.Add(cells...)
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteString("\ncounters, per call\n")
	if err := t.Write(b, run.Width); err != nil {
		return err
	}
	writeCounterLegend(b, exact, thousand)
	return nil
}

// counterColumns returns the columns of the table of counters; others are the counters that the report does not know.
func counterColumns(others []string) []texttable.Column {
	columns := []texttable.Column{
		{Title: "name", Name: true},
		{Title: "mode"},
		{Title: "instructions", Right: true},
		{}, // "exact"
		{Title: "cycles", Right: true},
		{Title: "IPC", Right: true},
		{Title: "GHz", Right: true, Spare: true},
		{Title: "own clock", Right: true, Spare: true},
		{Title: "floor", Right: true, Spare: true},
		{Title: "branches", Right: true, Spare: true},
		{Title: "missed", Right: true, Spare: true},
		{Title: "cache misses/1k", Right: true, Spare: true},
		{Title: "page faults", Right: true, Spare: true},
		{Title: "switches", Right: true, Spare: true},
	}
	for _, name := range others {
		columns = append(columns, texttable.Column{Title: Printable(name), Right: true})
	}
	return columns
}

// writeCounterLegend explains the short words that the table of counters has used.
func writeCounterLegend(b *bufio.Writer, exact, thousand bool) {
	var legend []string
	if exact {
		legend = append(legend, "exact: the same in every launch")
	}
	if thousand {
		legend = append(legend, "cache misses/1k: in 1,000 instructions")
	}
	if len(legend) > 0 {
		fmt.Fprintf(b, "  (%s)\n", strings.Join(legend, "; "))
	}
}

// addOtherCounters adds the names of the counters of a record that the report does not know.
func addOtherCounters(others map[string]bool, r *invocations.Record) {
	for name := range r.Counters {
		if !slices.Contains(counterNames, name) {
			others[name] = true
		}
	}
}

func countText(r *invocations.Record, name string) string {
	if v := counted(r, name); v != nil {
		return Count(*v)
	}
	return ""
}

// leastCount is the least count that is shown as a number; smaller ones are "< 0.0001".
const leastCount = 1e-4

// Count formats a count per call: whole and grouped from 1,000 on, with four significant digits below 1,000, with two
// below 1.
func Count(v float64) string {
	switch size := math.Abs(v); {
	case size >= 999.95 && size < math.MaxInt64:
		return Grouped(int64(math.Round(v)))
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	case size < leastCount:
		return fmt.Sprintf("< %v", leastCount)
	case size < 0.995:
		return figures.Significant(v, 2)
	default:
		return figures.Significant(v, 4)
	}
}

// ratioOf returns the counter name divided by the counter each; NaN if either is missing or each is not positive.
func ratioOf(r *invocations.Record, name, each string) float64 {
	v, of := counted(r, name), counted(r, each)
	if v == nil || of == nil || !(*of > 0) {
		return math.NaN()
	}
	return max(0, *v / *of) // a count near 0 may be negative after the loop's share is subtracted
}

// ipcText formats the instructions per cycle.
func ipcText(r *invocations.Record) string {
	if ipc := ratioOf(r, counterInstructions, counterCycles); !math.IsNaN(ipc) {
		return fmt.Sprintf("%.2f", ipc)
	}
	return ""
}

func missedBranches(r *invocations.Record) string {
	if share := ratioOf(r, counterBranchMisses, counterBranches); !math.IsNaN(share) {
		return Percent(share)
	}
	return ""
}

// perThousand formats the cache misses per 1,000 instructions.
func perThousand(r *invocations.Record) string {
	if misses := ratioOf(r, counterCacheMisses, counterInstructions); !math.IsNaN(misses) {
		return Count(1000 * misses)
	}
	return ""
}

// clockText formats the effective clock of the core in GHz.
func clockText(r *invocations.Record) string {
	switch cycles := counted(r, counterCycles); {
	case r.ClockGHz != nil:
		return figures.Significant(*r.ClockGHz, 3)
	case cycles != nil && *r.MedianNS > 0:
		return figures.Significant(*cycles / *r.MedianNS, 3)
	}
	return ""
}

// floorText formats how much equal runs differ on this machine, which no interval contains.
func floorText(r *invocations.Record) string {
	switch {
	case r.CyclesFloor != nil:
		return Percent(*r.CyclesFloor)
	case r.ReferenceFloor != nil:
		return Percent(*r.ReferenceFloor)
	}
	return ""
}

// ownClockText formats what the function does to the clock of its core itself.
func ownClockText(r *invocations.Record) string {
	if r.OwnClock == nil {
		return ""
	}
	return figures.Significant(*r.OwnClock, 4)
}
