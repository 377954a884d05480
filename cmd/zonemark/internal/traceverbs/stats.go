package traceverbs

import (
	"fmt"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/cmd/zonemark/internal/statstable"
	"zonemark/driver/report"
	"zonemark/trace"
	"zonemark/trace/zonestats"
)

const statsIntro = `Show where the time of captures went: a table by zone. Zones with one name at different ` +
	`places in the source are different zones.

Usage: zonemark trace stats [flags] FILE…

100 % of the share is all time inside zones, summed over threads. A zone inside another zone of the same name and ` +
	`place counts once. The track of a GPU's zone is its context; 100 % is then the time inside the zones of GPUs. Frames ` +
	`come last. Medians and p90 are exact for up to 1,024 zones of a name, else within 0.8 %.

Examples:
  zonemark trace stats run.tracy
  zonemark trace stats run.tracy -e --sort self --limit 10    what zones cost without the zones inside them
  zonemark trace stats run.tracy --filter dispatch --format csv
`

// terminalRows is how many rows a terminal is shown if --limit does not say.
const terminalRows = 50

func statsVerb() verb {
	return verb{
		name: "stats", summary: "where the time went: a table by zone",
		example: "zonemark trace stats run.tracy --sort self --limit 20",
		intro:   statsIntro, least: 1, most: anyNumber,
		declare: func(f *flags) action {
			v := &showingStats{flags: f, order: "total"}
			f.tabular()
			f.set.Var(cli.Choice(&v.order, zonestats.Orders()), "sort",
				"column to sort by, the greatest first")
			f.set.StringVar(&v.filter, "filter", "", filterUsage)
			f.set.Var(cli.Count(&v.limit), "limit",
				fmt.Sprintf("show at most this many rows; 0: all (default %d for text on a terminal, else all)",
					terminalRows))
			f.set.BoolVarP(&v.options.Self, "self", "e", false,
				"mean, median, p90, min, max and share of the time without the zones inside")
			return v
		},
	}
}

// showingStats is what the verb stats does.
type showingStats struct {
	*flags
	order, filter string
	limit         int64
	options       zonestats.Options
}

func (v *showingStats) settle(paths []string) error {
	if len(paths) > 1 && v.format != rowtext.Text {
		return fmt.Errorf("--format %s takes one capture at a time", v.format)
	}
	name, err := optionalRE("--filter", v.filter)
	if name != nil {
		v.options.Select = func(z *trace.Zone) bool { return name.MatchString(z.Name()) }
	}
	return err
}

func (v *showingStats) run(c *call) int {
	status := cli.ExitOK
	for i, path := range c.paths {
		if len(c.paths) > 1 {
			fmt.Fprintf(c.Out, "%s%s\n", map[bool]string{true: "\n"}[i > 0], report.Printable(path))
		}
		status = max(status, v.show(c, path))
	}
	return status
}

// show shows the statistics of one capture.
func (v *showingStats) show(c *call, path string) int {
	r, err := c.openParts(path, trace.NamesOnly)
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	stats, readErr := r.summarize(v.options)
	if err := stats.Sort(v.order); err != nil {
		return c.fail(err)
	}
	width := cli.TerminalWidth(c.Out)
	limit, short := v.limit, false
	if short = width > 0 && v.format == rowtext.Text && !v.set.Changed("limit"); short {
		limit = terminalRows
	}
	shown := rowtext.Limited(stats.Zones, limit)
	hidden := len(stats.Zones) - len(shown)
	if readErr == nil { // frames come last, and do not count as zones
		var frames *zonestats.Summary
		frames, readErr = r.summarizeFrames(v.options)
		shown = slices.Concat(shown, frames.Zones)
	}
	if err := statstable.Write(c.Out, v.format, shown, width); err != nil {
		return c.fail(err)
	}
	if short && hidden > 0 {
		fmt.Fprintf(c.Out, "  and %s more; --limit 0 shows all\n", report.Grouped(int64(hidden)))
		hidden = 0
	}
	if v.format == rowtext.Text && !v.quiet {
		c.Say("%s in %s; %s inside zones, %s from first to last%s", report.Counted(int(stats.Count), "zone"),
			report.Counted(len(stats.Zones), "row"), report.Time(float64(stats.InsideNS)),
			report.Time(float64(stats.LastNS-stats.FirstNS)), notShown(hidden))
		for _, track := range stats.Tracks {
			c.Say("%s: %s, %s inside", report.Printable(track.Name), report.Grouped(track.Count),
				report.Time(float64(track.InsideNS)))
		}
	}
	if n := int(stats.Unfinished); n > 0 && !v.quiet {
		c.Say("%s of GPUs whose times never arrived: left out", report.Counted(n, "zone"))
	}
	return r.settle(readErr)
}
