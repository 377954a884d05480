package traceverbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

const diffIntro = `Compare captures zone by zone, by name, or reports of tt-metal op by op: what got slower.

Usage: zonemark trace diff [flags] BEFORE AFTER
       zonemark trace diff [flags] BEFORE… -- AFTER…

A capture is one sample, however many zones it has, since a slow moment of the machine slows all of its zones. With one ` +
	`capture before and one after, the table only shows differences: "unknown" marks medians that differ by --threshold ` +
	`or more. With three or better four captures of each side, their medians are compared as "zonemark compare" compares ` +
	`launches. Zones are slower or faster if chance hardly explains that (1 % for all names together), and the ` +
	`same if their interval lies within --threshold.

BEFORE and AFTER may also be tables of tt-metal's profiler (ops_perf_results*.csv, profile_log_device.csv) or a ` +
	`folder with one report (see "zonemark trace tt --help").
Times of kernels are compared, since windows of firmware overlap. If a report has no times of kernels, windows are ` +
	`compared.

Examples:
  zonemark trace diff before.tracy after.tracy
  zonemark trace diff before.tracy after.tracy -e --filter dispatch --threshold 5%
  zonemark trace diff before1.tracy before2.tracy before3.tracy -- after1.tracy after2.tracy after3.tracy
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
		name: "diff", summary: "what got slower between captures",
		example: "zonemark trace diff before.tracy after.tracy",
		intro:   diffIntro, least: 2, most: anyNumber,
		declare: func(f *flags) action {
			v := &showingDiff{flags: f, order: diffByDelta, threshold: 0.01}
			f.tabular()
			f.set.Var(cli.Choice(&v.order, []string{diffByDelta, diffByRatio, diffByName}),
				"sort",
				"delta: the greatest increase of the total time first; ratio: of the medians; name")
			f.set.StringVar(&v.filter, "filter", "", filterUsage)
			f.set.Var(cli.Fraction(&v.threshold), "threshold", "differences below it do not matter")
			f.set.Var(cli.Count(&v.limit), "limit", "show at most this many rows; 0: all")
			f.set.StringVar(&v.from, "from", "", "in tables of tt-metal, compare only calls after the first signpost of "+
				"this name")
			f.set.StringVar(&v.to, "to", "", "in tables of tt-metal, compare only calls before the next signpost of this "+
				"name")
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
	before        int // of the paths are those before
	threshold     float64
	options       zonestats.Options
}

func (v *showingDiff) settle(paths []string) error {
	v.options.ByName, v.before = true, 1
	switch at := v.set.ArgsLenAtDash(); {
	case at > 0 && at < len(paths):
		v.before = at
	case at == len(paths):
		return errors.New("the captures of the later side stand after --, and there are none")
	case len(paths) > 2:
		return fmt.Errorf("of %d captures, which ones are the later side? write those after --: trace diff A1 A2 -- B1 B2",
			len(paths))
	}
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
		sum = func(o zonestats.Options) ([]*zonestats.Summary, string, int) { return c.sumReports(o, v.from, v.to) }
	}
	all, inside, status := sum(v.options)
	if all == nil {
		return status
	}
	before, after := all[:v.before], all[v.before:]
	changes := zonestats.Diff(before, after, v.threshold)
	sortChanges(changes, v.order)
	shown := rowtext.Limited(changes, v.limit)
	if err := writeChanges(c.Out, v.format, shown, ops); err != nil {
		return c.fail(err)
	}
	if v.quiet {
		return status
	}
	if v.format == rowtext.Text {
		c.Say("%s: %s before, %s after%s", inside, report.Time(meanInside(before, "")),
			report.Time(meanInside(after, "")), notShown(len(changes)-len(shown)))
		for _, track := range tracksOf(all) {
			c.Say("inside %s: %s before, %s after", report.Printable(track), report.Time(meanInside(before, track)),
				report.Time(meanInside(after, track)))
		}
	}
	if min(len(before), len(after)) < 2 {
		c.Say("a capture is one sample, so nothing is decided by one; several of each side are: trace diff A1 A2 A3 -- " +
			"B1 B2 B3")
	}
	return status
}

// meanInside returns the time inside zones of a capture, in nanoseconds, the mean of all of a side: of its threads, or of
// a track.
func meanInside(captures []*zonestats.Summary, track string) (ns float64) {
	for _, s := range captures {
		inside := s.InsideNS
		if track != "" {
			inside = 0
			for _, t := range s.Tracks {
				if t.Name == track {
					inside = t.InsideNS
				}
			}
		}
		ns += float64(inside) / float64(len(captures))
	}
	return ns
}

// tracksOf returns the names of the tracks of captures.
func tracksOf(captures []*zonestats.Summary) (names []string) {
	for _, s := range captures {
		for _, t := range s.Tracks {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// sumCaptures sums up all captures. There are no summaries if there is nothing to compare.
func (c *call) sumCaptures(o zonestats.Options) (all []*zonestats.Summary, what string, status int) {
	for _, path := range c.paths {
		summary, failed := c.sumCapture(path, o)
		if summary == nil {
			return nil, "", failed
		}
		all, status = append(all, summary), max(status, failed)
	}
	return all, "inside zones", status
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
		if r := c.Difference.Ratio; !math.IsNaN(r) {
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
