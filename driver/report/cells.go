package report

import (
	"cmp"
	"slices"

	"zonemark/driver/report/rank"
	"zonemark/invocations"
	"zonemark/invocations/figures"
)

// Cells are the texts of a record in a table of results, as the text report formats them. A text is empty if it does
// not apply.
type Cells struct {
	Median, Within, Min, P90             string
	FLOPPerS, BytePerS, Cycles           string
	Iterations, Launches, Quiet, WallCPU string
	Instructions, IPC                    string
	AtReference, Judged                  string // the time at the reference clock; the ± of it or, if it is not known, of the median
	Verdict                              string
	Reason                               string // of a record without a time
}

// CellsOf returns the texts of a record.
func CellsOf(r *invocations.Record) Cells {
	c := Cells{Verdict: verdictText(*r), Cycles: cyclesText(*r)}
	if r.Status != invocations.OK || !r.Timed() {
		c.Reason = untimedReason(*r)
		return c
	}
	s := r.Summary()
	unit := figures.UnitOf(s.MedianNS)
	c.Median, c.Within, c.Min, c.P90 = unit.Format(s.MedianNS), plusMinus(r), unit.Format(s.MinNS), unit.Format(s.P90NS)
	reference := r.Reference()
	if c.Judged = judgedWithin(r, reference); reference.Known() {
		c.AtReference = unit.Format(reference.Value)
	}
	c.FLOPPerS, c.BytePerS = rateText(r.FLOPPerS), rateText(r.BytePerS)
	c.Iterations, c.Launches, c.Quiet, c.WallCPU = iterations(*r), launches(r), quiet(r), wallToCPU(s, *r)
	c.Instructions, c.IPC = countText(r, counterInstructions), ipcText(r)
	return c
}

// RankedCells are the texts of a variant in a ranking. Compared is the figure that ratios are made of, empty if that is
// the median; ComparedWithin is the ± of either.
type RankedCells struct{ Compared, ComparedWithin, Ratio, Interval, Standing string }

// RankedCellsOf returns the texts of the variants of a ranking, whose rows are of these records, with the title of the
// column of Compared; empty if it is the median.
func RankedCellsOf(ranking *rank.Ranking, rows []*invocations.Record) (title string, cells []RankedCells) {
	compared := newComparedColumns(ranking, slices.Values(rows))
	for i, row := range ranking.Rows {
		f := compared.cells(rows[i], true)
		cells = append(cells, RankedCells{f.compared, cmp.Or(f.ofMedian, f.ofCompared), ratioText(row), ratioInterval(row),
			standingText(row, *rows[i])})
	}
	if compared.shown {
		title = compared.title
	}
	return title, cells
}

// CounterText is a counter of a record with its count per call.
type CounterText struct {
	Name, PerCall string
	Exact         bool // equal in all launches
}

// CountersOf returns the counters of a record: those that zonemark knows, then others by name.
func CountersOf(r *invocations.Record) []CounterText {
	var all []CounterText
	others := map[string]bool{}
	addOtherCounters(others, r)
	for _, name := range slices.Concat(counterNames, sortedKeys(others)) {
		if text := countText(r, name); text != "" {
			all = append(all, CounterText{name, text, exactly(r, name)})
		}
	}
	return all
}

// UnitOf returns the unit in which a time is shown, with its length in nanoseconds.
func UnitOf(ns float64) (name string, unitNS float64) {
	u := figures.UnitOf(ns)
	return u.Name, u.NS
}
