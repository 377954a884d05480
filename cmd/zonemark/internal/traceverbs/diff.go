package traceverbs

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

const diffIntro = `Compare two captures zone by zone, by name, or two reports of tt-metal op by op: what got slower.

Usage: zonemark trace diff [flags] BEFORE AFTER

A zone is slower or faster when the Mann-Whitney test across its occurrences rules out chance (of the zones named ` +
	`so, at most 5 % are expected to be
named by chance) and the medians differ by more than --threshold. "unknown" are medians that differ, perhaps by ` +
	`chance. Occurrences within one capture are no
independent runs: what slowed the whole machine down during a capture is significant, too.

BEFORE and AFTER may also be tables of tt-metal's profiler (ops_perf_results*.csv, profile_log_device.csv) or a ` +
	`folder with one report (see "zonemark trace tt --help").
Compared are the times of kernels, as windows of firmware overlap; where a report has no times of kernels, these ` +
	`windows.

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

func diffVerb() verb {
	return verb{
		name: "diff", summary: "what got slower between two captures",
		example: "zonemark trace diff before.tracy after.tracy",
		intro:   diffIntro, least: 2, most: 2,
		declare: func(f *flags) action {
			v := &showingDiff{flags: f, order: diffByDelta, threshold: 0.01}
			f.tabular()
			f.set.Var(cli.Choice[string]{Value: &v.order, Words: []string{diffByDelta, diffByRatio, diffByName}},
				"sort",
				"delta: what costs most more; ratio of the medians; name")
			f.set.StringVar(&v.filter, "filter", "", "keep only zones whose name matches this regular expression")
			f.set.Var(cli.Fraction{Value: &v.threshold}, "threshold", "medians that differ by less are the same")
			f.set.Var(cli.Count{N: &v.limit}, "limit", "show at most so many rows; 0: all")
			f.set.StringVar(&v.from, "from", "", "of tables of tt-metal, compare only calls behind the first signpost of "+
				"this name")
			f.set.StringVar(&v.to, "to", "", "likewise, only calls before the next signpost of this name")
			f.set.BoolVarP(&v.options.Self, "self", "e", false, "compare times without the zones inside")
			return v
		},
	}
}

// showingDiff is what the verb diff does.
type showingDiff struct {
	*flags
	order, filter string
	from, to      string
	limit         int64
	threshold     float64
	options       zonestats.Options
}

func (v *showingDiff) settle([]string) error {
	v.options.ByName = true
	name, err := optionalRE("--filter", v.filter)
	if name != nil {
		v.options.Select = func(z *trace.Zone) bool { return name.MatchString(z.Name()) }
	}
	return err
}

func (v *showingDiff) run(c *call) int {
	ops, err := areReports(c.paths)
	if err != nil {
		return c.fail(err)
	}
	if ops && v.options.Self {
		return c.refuse(errors.New("-e: ops of tt-metal have no zones inside; leave it out"))
	}
	if !ops && (v.from != "" || v.to != "") {
		return c.refuse(errors.New("--from and --to name signposts of tables of tt-metal, and these are captures"))
	}
	sum := c.sumCaptures
	if ops {
		sum = func(o zonestats.Options) ([2]*zonestats.Summary, string, int) { return c.sumReports(o, v.from, v.to) }
	}
	sides, inside, status := sum(v.options)
	if sides[1] == nil {
		return status
	}
	changes := zonestats.Diff(sides[0], sides[1], v.threshold)
	sortChanges(changes, v.order)
	shown := limited(changes, v.limit)
	if err := writeChanges(c.Out, v.format, shown, ops); err != nil {
		return c.fail(err)
	}
	if v.format == formatText && !v.quiet {
		c.Say("%s: %s before, %s after%s", inside, report.Time(float64(sides[0].InsideNS)),
			report.Time(float64(sides[1].InsideNS)), notShown(len(changes)-len(shown)))
	}
	return status
}

// sumCaptures sums up both captures; the second summary is nil if there is nothing to compare.
func (c *call) sumCaptures(o zonestats.Options) (sides [2]*zonestats.Summary, what string, status int) {
	for i, path := range c.paths {
		summary, failed := c.sumCapture(path, o)
		if summary == nil {
			return [2]*zonestats.Summary{}, "", failed
		}
		sides[i], status = summary, max(status, failed)
	}
	return sides, "inside zones", status
}

// sumCapture sums up one of the captures. One that is cut is compared as far as it goes, and is an error. The summary
// is nil if there is nothing to compare.
func (c *call) sumCapture(path string, o zonestats.Options) (*zonestats.Summary, int) {
	r, err := c.open(path)
	if err != nil {
		return nil, c.fail(err)
	}
	defer r.Close()
	summary, err := r.summarize(o)
	status := r.settle(err)
	if errors.Is(c.ctx.Err(), context.Canceled) {
		return nil, status
	}
	return summary, status
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
