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
	place      int                 // of the record in the operation's journal
	notApplied string              // why, if the runtime does not apply the configuration

	ratio, low, high float64         // time against the first runtime, with the 95 % confidence interval; NaN if not known
	verdict          compare.Verdict // of the ratio; empty if there is none
	how              string          // the ratio was found: "10 paired launches"
}

// beside returns a line for each configuration of an operation on each runtime, by the records in its journal.
func (s *Sweep) beside(o *swept) (lines []line, err error) {
	var records *invocations.Records
	stored, err := journal.ReadFile(sweep.JournalFile(s.out, o.Operation))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // no runtime applies the operation
		return nil, fmt.Errorf("compare the runtimes: %w", err)
	}
	if err == nil {
		records = stored.Records
		defer records.Close()
	}
	measured, unknown := map[string]standing{}, standing{ratio: math.NaN(), low: math.NaN(), high: math.NaN()}
	for place := range records.Len() {
		at := unknown
		if at.record, err = records.At(place); err != nil {
			return nil, fmt.Errorf("compare the runtimes: %w", err)
		}
		at.place = place
		measured[at.record.Name] = at
	}
	for i := range o.configurations {
		c := compared{operation: o.Name, configuration: &o.configurations[i]}
		for _, d := range s.sides {
			at := unknown
			if refusal := d.target.Refuses(c.configuration); refusal != nil {
				at.notApplied = refusal.Error()
			} else if one, is := measured[nameOn(programs.Name(c.configuration), d.target.Runtime)]; is {
				at = one
			}
			c.on = append(c.on, at)
		}
		if err := c.rank(records); err != nil {
			return nil, fmt.Errorf("compare the runtimes: %w", err)
		}
		for i := range c.on {
			lines = append(lines, newLine(&c, &c.on[i], s.sides[i], s.sides[0]))
		}
	}
	return lines, nil
}

// rank compares each runtime with the first one, by the records of the operation.
func (c *compared) rank(records *invocations.Records) error {
	first := &c.on[0]
	for i := range c.on[1:] {
		if at := &c.on[1+i]; first.record != nil && at.record != nil {
			if err := at.compare(records.Select(first.place, at.place)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare sets how the time, of the second of two records, is against that of the first.
func (d *standing) compare(two *invocations.Records) error {
	rankings, err := rank.Groups(two, stats.RankOptions{})
	if err != nil || len(rankings) == 0 {
		return err // or one of them has no time
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
	return nil
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
