package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

const traceStatsIntro = `Show where the time of captures went: a table by zone. Zones with one name at different places in the source are different zones.

Usage: zonemark trace stats [flags] FILE…

The share is of all time inside zones, summed over threads. Medians and p90 are exact up to 1,024 zones of a name and within 0.8 % beyond.

Examples:
  zonemark trace stats run.tracy
  zonemark trace stats run.tracy -e --sort self --limit 10    what zones cost without the zones inside them
  zonemark trace stats run.tracy --filter dispatch --format csv
`

func traceStatsCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newTraceFlags("stats")
	f.tabular()
	order, filter, self := "total", "", false
	var limit int64
	f.set.Var(cli.Choice[string]{Value: &order, Words: zonestats.Orders()}, "sort", "column to sort by, the greatest first")
	f.set.StringVar(&filter, "filter", "", "keep only zones whose name matches this regular expression")
	f.set.Var(cli.Count{N: &limit}, "limit", "show at most so many rows; 0: all")
	f.set.BoolVarP(&self, "self", "e", false, "mean, median, p90, min, max and share of the time without the zones inside")
	paths, err := f.parse(s, args, traceStatsIntro, 1, anyNumber)
	if err == nil && len(paths) > 1 && f.format != formatText {
		err = fmt.Errorf("--format %s takes one capture at a time", f.format)
	}
	if err != nil {
		return f.refused(s, err)
	}
	name, err := optionalRE("--filter", filter)
	if err != nil {
		return f.refused(s, err)
	}
	o := zonestats.Options{Self: self}
	if name != nil {
		o.Select = func(z *trace.Zone) bool { return name.MatchString(z.Name()) }
	}
	status := cli.ExitOK
	for i, path := range paths {
		if len(paths) > 1 {
			fmt.Fprintf(s.Out, "%s%s\n", map[bool]string{true: "\n"}[i > 0], report.Printable(path))
		}
		status = max(status, traceStats(ctx, s, f, path, o, order, limit))
	}
	return status
}

func traceStats(ctx context.Context, s cli.Streams, f *traceFlags, path string, o zonestats.Options, order string, limit int64) int {
	c, err := openTrace(ctx, s, f, path)
	if err != nil {
		return s.Fail("%v", err)
	}
	defer c.Close()
	stats, readErr := c.summarize(o)
	if err := stats.Sort(order); err != nil {
		return s.Fail("%v", err)
	}
	shown := stats.Zones
	if limit > 0 && int64(len(shown)) > limit {
		shown = shown[:limit]
	}
	if err := writeStats(s.Out, f.format, shown); err != nil {
		return s.Fail("%v", err)
	}
	if f.format == formatText && !f.quiet {
		s.Say("%s in %s; %s inside zones, %s from first to last%s", report.Counted(int(stats.Count), "zone"), report.Counted(len(stats.Zones), "row"),
			report.Time(float64(stats.InsideNS)), report.Time(float64(stats.LastNS-stats.FirstNS)), notShown(len(stats.Zones)-len(shown)))
	}
	return c.settle(s, readErr)
}

// notShown says how many rows a limit has cut off.
func notShown(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s more not shown (--limit)", report.Counted(n, "row"))
}

// statsRow is a row of the csv and ndjson formats. Columns are added at the end, never renamed.
type statsRow struct {
	Name     string  `csv:"name" json:"name"`
	File     string  `csv:"src_file" json:"src_file"`
	Line     uint32  `csv:"src_line" json:"src_line"`
	Count    int64   `csv:"count" json:"count"`
	TotalNS  int64   `csv:"total_ns" json:"total_ns"`
	SelfNS   int64   `csv:"self_ns" json:"self_ns"`
	MeanNS   float64 `csv:"mean_ns" json:"mean_ns"`
	MedianNS float64 `csv:"median_ns" json:"median_ns"`
	P90NS    float64 `csv:"p90_ns" json:"p90_ns"`
	MinNS    int64   `csv:"min_ns" json:"min_ns"`
	MaxNS    int64   `csv:"max_ns" json:"max_ns"`
	Share    float64 `csv:"share_percent" json:"share_percent"`
}

func writeStats(out io.Writer, format string, zones []*zonestats.Group) error {
	w := bufio.NewWriter(out)
	if format == formatText {
		t := report.Table{Columns: []report.Column{
			{Title: "zone", Name: true}, {Title: "count", Right: true}, {Title: "total", Right: true}, {Title: "share", Right: true}, {Title: "median", Right: true},
			{Title: "self", Right: true, Spare: true}, {Title: "p90", Right: true, Spare: true}, {Title: "mean", Right: true, Spare: true},
			{Title: "min", Right: true, Spare: true}, {Title: "max", Right: true, Spare: true}, {Title: "source", Spare: true},
		}}
		for _, z := range zones {
			t.Add(report.Printable(z.Name), report.Grouped(z.Count), report.Time(float64(z.TotalNS)), report.Percent(z.Share), report.Time(z.MedianNS()),
				report.Time(float64(z.SelfNS)), report.Time(z.QuantileNS(0.9)), report.Time(z.MeanNS()),
				report.Time(float64(z.MinNS())), report.Time(float64(z.MaxNS())), report.Printable(sourcePlace(z.Location)))
		}
		if err := t.Write(w, cli.TerminalWidth(out)); err != nil {
			return err
		}
		return w.Flush()
	}
	rows := make([]statsRow, len(zones))
	for i, z := range zones {
		rows[i] = statsRow{z.Name, z.Location.File, z.Location.Line, z.Count, z.TotalNS, z.SelfNS, thousandths(z.MeanNS()), thousandths(z.MedianNS()),
			thousandths(z.QuantileNS(0.9)), z.MinNS(), z.MaxNS(), thousandths(100 * z.Share)}
	}
	if err := writeRows(w, format, rows); err != nil {
		return err
	}
	return w.Flush()
}
