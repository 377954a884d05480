package sweeping

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"zonemark/driver/compare"
	"zonemark/driver/journal"
	"zonemark/driver/report/rank"
	"zonemark/driver/sweep"
	"zonemark/driver/sweep/operations"
	programs "zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// compared is a configuration on the runtimes of a sweep.
type compared struct {
	operation     string
	configuration *operations.Configuration
	on            []standing // on each of Sweep.sides
}

// standing is a configuration on one runtime, against the first runtime.
type standing struct {
	record     *invocations.Record // nil if it was not measured
	notApplied string              // why, if the runtime does not apply the configuration

	ratio, low, high float64         // time against the first runtime, with the 95 % confidence interval; NaN if not known
	verdict          compare.Verdict // of the ratio; empty if there is none
	how              string          // the ratio was found: "10 paired launches"
}

// beside returns a line for each configuration of an operation on each runtime, by the records in its journal.
func (s *Sweep) beside(o *swept) (lines []line, err error) {
	records := map[string]*invocations.Record{}
	stored, err := journal.ReadFile(sweep.JournalFile(s.out, o.Operation))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // no runtime applies the operation
		return nil, fmt.Errorf("compare the runtimes: %w", err)
	}
	if err == nil {
		defer stored.Records.Close()
		for r, err := range stored.Records.All() {
			if err != nil {
				return nil, fmt.Errorf("compare the runtimes: %w", err)
			}
			records[r.Name] = r
		}
	}
	for i := range o.configurations {
		c := compared{operation: o.Name, configuration: &o.configurations[i]}
		for _, d := range s.sides {
			at := standing{ratio: math.NaN(), low: math.NaN(), high: math.NaN()}
			if refusal := d.target.Refuses(c.configuration); refusal != nil {
				at.notApplied = refusal.Error()
			} else {
				at.record = records[nameOn(programs.Name(c.configuration), d.target.Runtime)]
			}
			c.on = append(c.on, at)
		}
		c.rank()
		for i := range c.on {
			lines = append(lines, newLine(&c, &c.on[i], s.sides[i], s.sides[0]))
		}
	}
	return lines, nil
}

// rank compares each runtime with the first one.
func (c *compared) rank() {
	first := c.on[0].record
	for i := range c.on[1:] {
		if at := &c.on[1+i]; first != nil && at.record != nil {
			at.compare(first)
		}
	}
}

// compare sets how the time is against that of another record.
func (d *standing) compare(first *invocations.Record) {
	rankings := rank.GroupsOf([]invocations.Record{*first, *d.record}, stats.RankOptions{})
	if len(rankings) == 0 {
		return // one of them has no time
	}
	row := rankings[0].Rows[1]
	d.how = rankings[0].How()
	d.ratio, d.low, d.high, d.verdict = row.Ratio, row.Low, row.High, compare.Slower
	if row.Variant == 0 { // the first runtime is not the best
		d.ratio, d.low, d.high, d.verdict = 1/row.Ratio, 1/row.High, 1/row.Low, compare.Faster
	}
	switch row.Standing {
	case stats.Same:
		d.verdict = compare.Same
	case stats.Unknown:
		d.verdict = compare.Undecided
	}
}

// status is what became of the configuration on the runtime: "ok", "failed", "not applied".
func (d *standing) status() string {
	switch {
	case d.notApplied != "":
		return sweep.NotApplied
	case d.record == nil:
		return "no result"
	}
	return string(d.record.Status)
}

// why tells why there is no time; empty if there is one.
func (d *standing) why() string {
	switch {
	case d.notApplied != "":
		return d.notApplied
	case d.record == nil:
		return "the journal of the operation has no result"
	}
	return d.record.Error
}

// shape is what a configuration computes: the output as T×ROWS×COLUMNS FORMAT and, of a matrix product, its inner
// dimension.
func shape(c *operations.Configuration) string {
	b := c.Block("output")
	var text strings.Builder
	if b.T > 1 {
		fmt.Fprintf(&text, "%d×", b.T)
	}
	fmt.Fprintf(&text, "%d×%d", b.Rows(), b.Columns())
	if c.Has("mb_inner") {
		fmt.Fprintf(&text, ", inner %d", max(1, c.Int("mb_inner"))*max(1, c.Int("ub_inner"))*operations.Tile)
	}
	return text.String() + " " + c.Text("output_df")
}
