package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

const traceDiffIntro = `Compare two captures zone by zone, by name, or two reports of tt-metal op by op: what got slower.

Usage: zonemark trace diff [flags] BEFORE AFTER

A zone is slower or faster when the Mann-Whitney test across its occurrences rules out chance (of the zones named so, at most 5 % are expected to be
named by chance) and the medians differ by more than --threshold. "unknown" are medians that differ, perhaps by chance. Occurrences within one capture are no
independent runs: what slowed the whole machine down during a capture is significant, too.

BEFORE and AFTER may also be tables of tt-metal's profiler (ops_perf_results*.csv, profile_log_device.csv) or a folder with one report (see "zonemark trace tt --help").
Compared are the times of the calls on the device.

Examples:
  zonemark trace diff before.tracy after.tracy
  zonemark trace diff before.tracy after.tracy -e --filter dispatch --threshold 5%
  zonemark trace diff before/ops_perf_results.csv after/ops_perf_results.csv
`

// diffOrders are the keys of --sort. "delta" is the order in which the changes come.
const (
	diffByDelta = "delta"
	diffByRatio = "ratio"
	diffByName  = "name"
)

func traceDiffCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newTraceFlags("diff")
	f.tabular()
	order, filter, self := diffByDelta, "", false
	var limit int64
	threshold := 0.01
	f.set.Var(cli.Choice[string]{Value: &order, Words: []string{diffByDelta, diffByRatio, diffByName}}, "sort", "delta: what costs most more; ratio of the medians; name")
	f.set.StringVar(&filter, "filter", "", "keep only zones whose name matches this regular expression")
	f.set.Var(cli.Fraction{Value: &threshold}, "threshold", "medians that differ by less are the same")
	f.set.Var(cli.Count{N: &limit}, "limit", "show at most so many rows; 0: all")
	f.set.BoolVarP(&self, "self", "e", false, "compare times without the zones inside")
	paths, err := f.parse(s, args, traceDiffIntro, 2, 2)
	if err != nil {
		return f.refused(s, err)
	}
	name, err := optionalRE("--filter", filter)
	if err != nil {
		return f.refused(s, err)
	}
	var sides [2]*zonestats.Summary
	status := cli.ExitOK
	kinds, err := diffKinds(paths)
	if err != nil {
		return s.Fail("%v", err)
	}
	if kinds[0] && self {
		return f.refused(s, fmt.Errorf("-e: ops of tt-metal have no zones inside; leave it out"))
	}
	for i, path := range paths {
		side := diffSide
		if kinds[i] {
			side = ttDiffSide
		}
		stats, st := side(ctx, s, f, path, self, name)
		if stats == nil {
			return st
		}
		sides[i], status = stats, max(status, st)
	}
	changes := zonestats.Diff(sides[0], sides[1], threshold)
	sortChanges(changes, order)
	all := len(changes)
	if limit > 0 && int64(all) > limit {
		changes = changes[:limit]
	}
	if err := writeChanges(s.Out, f.format, changes, kinds[0]); err != nil {
		return s.Fail("%v", err)
	}
	if f.format == formatText && !f.quiet {
		s.Say(map[bool]string{false: "inside zones", true: "on devices"}[kinds[0]]+": %s before, %s after%s", report.Time(float64(sides[0].InsideNS)), report.Time(float64(sides[1].InsideNS)), notShown(all-len(changes)))
	}
	return status
}

// diffSide sums up one of the captures. A cut one is compared as far as it goes, and is an error.
func diffSide(ctx context.Context, s cli.Streams, f *traceFlags, path string, self bool, name *regexp.Regexp) (*zonestats.Summary, int) {
	c, err := openTrace(ctx, s, f, path)
	if err != nil {
		return nil, s.Fail("%v", err)
	}
	defer c.Close()
	o := zonestats.Options{Self: self, ByName: true}
	if name != nil {
		o.Select = func(z *trace.Zone) bool { return name.MatchString(z.Name()) }
	}
	stats, err := c.summarize(o)
	status := c.settle(s, err)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, status
	}
	return stats, status
}

func sortChanges(changes []zonestats.Change, order string) {
	ratio := func(c *zonestats.Change) float64 {
		if r := c.Ratio(); !math.IsNaN(r) {
			return r
		}
		return 0 // one side only: last
	}
	switch order {
	case diffByRatio:
		slices.SortStableFunc(changes, func(a, b zonestats.Change) int { return cmp.Compare(ratio(&b), ratio(&a)) })
	case diffByName:
		slices.SortStableFunc(changes, func(a, b zonestats.Change) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// diffRow is a row of the csv and ndjson formats; what a side does not have is empty or absent. Columns are added at the end, never renamed.
type diffRow struct {
	Name           string            `csv:"name" json:"name"`
	Verdict        zonestats.Verdict `csv:"verdict" json:"verdict"`
	CountBefore    *int64            `csv:"count_before" json:"count_before,omitempty"`
	CountAfter     *int64            `csv:"count_after" json:"count_after,omitempty"`
	MedianBeforeNS *float64          `csv:"median_before_ns" json:"median_before_ns,omitempty"`
	MedianAfterNS  *float64          `csv:"median_after_ns" json:"median_after_ns,omitempty"`
	Ratio          *float64          `csv:"ratio" json:"ratio,omitempty"`
	P              *float64          `csv:"p" json:"p,omitempty"`
	TotalBeforeNS  *int64            `csv:"total_before_ns" json:"total_before_ns,omitempty"`
	TotalAfterNS   *int64            `csv:"total_after_ns" json:"total_after_ns,omitempty"`
	DeltaNS        int64             `csv:"delta_ns" json:"delta_ns"`
}

func newDiffRow(c *zonestats.Change) diffRow {
	row := diffRow{Name: c.Name, Verdict: c.Verdict, Ratio: finite(c.Ratio()), P: finite(c.P), DeltaNS: c.DeltaNS()}
	side := func(z *zonestats.Group) (count *int64, median *float64, total *int64) {
		if z == nil {
			return nil, nil, nil
		}
		n, m, sum := z.Count, thousandths(z.MedianNS()), z.SumNS()
		return &n, &m, &sum
	}
	row.CountBefore, row.MedianBeforeNS, row.TotalBeforeNS = side(c.Before)
	row.CountAfter, row.MedianAfterNS, row.TotalAfterNS = side(c.After)
	return row
}

// finite is nil for what JSON cannot hold.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func writeChanges(out io.Writer, format string, changes []zonestats.Change, ops bool) error {
	w := bufio.NewWriter(out)
	rows := make([]diffRow, len(changes))
	for i := range changes {
		rows[i] = newDiffRow(&changes[i])
	}
	if format != formatText {
		if err := writeRows(w, format, rows); err != nil {
			return err
		}
		return w.Flush()
	}
	t := report.Table{Columns: []report.Column{
		{Title: map[bool]string{false: "zone", true: "op"}[ops], Name: true}, {Title: "verdict"}, {Title: "Δ total", Right: true}, {Title: "median before", Right: true}, {Title: "after", Right: true},
		{Title: "change", Right: true}, {Title: "count before", Right: true, Spare: true}, {Title: "after", Right: true, Spare: true}, {Title: "p", Right: true, Spare: true},
	}}
	for _, r := range rows {
		t.Add(report.Printable(r.Name), string(r.Verdict), signed(report.Time(float64(r.DeltaNS)), r.DeltaNS > 0), timeOrDash(r.MedianBeforeNS), timeOrDash(r.MedianAfterNS),
			changeText(r.Ratio), countOrDash(r.CountBefore), countOrDash(r.CountAfter), probability(r.P))
	}
	if err := t.Write(w, cli.TerminalWidth(out)); err != nil {
		return err
	}
	return w.Flush()
}

func signed(text string, plus bool) string {
	if plus {
		return "+" + text
	}
	return text
}

func timeOrDash(ns *float64) string {
	if ns == nil {
		return "-"
	}
	return report.Time(*ns)
}

func countOrDash(n *int64) string {
	if n == nil {
		return "-"
	}
	return report.Grouped(*n)
}

func changeText(ratio *float64) string {
	switch {
	case ratio == nil:
		return "-"
	case *ratio >= 10:
		return "× " + report.Grouped(int64(min(*ratio, 1e15)))
	}
	return signed(report.Percent(*ratio-1), *ratio > 1)
}

func probability(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.0001:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", *p)
}
