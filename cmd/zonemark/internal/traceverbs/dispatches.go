package traceverbs

import (
	"fmt"
	"io"
	"iter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/suite"
	"zonemark/trace"
	"zonemark/trace/correlate"
	"zonemark/trace/dispatchcsv"
)

const dispatchesIntro = `Show the dispatches of each invocation as a tree: invocation, its dispatches with their ` +
	`workgroups, and where the rest of the time went.

Usage: zonemark trace dispatches [flags] FILE

Zones are joined to invocations by the zones that zonemark puts around them (text inv=<id>), by source files ` +
	`inv://ID/…, or by rules. A rule is a ` +
	`regular expression for names of zones. Its group (?P<invocation>…) captures the id of an invocation; the zone is ` +
	`then a call of it. Its group (?P<dispatch>…) captures the name of a dispatch; the zone is then a workgroup of it. ` +
	`The first rule that matches a zone counts. Bars are relative to the whole call. Times are medians over iterations, ` +
	`without the first --warmup ones if there are others.

Examples:
  zonemark trace dispatches run.tracy
  zonemark trace dispatches run.tracy --iterations                      every call by itself
  zonemark trace dispatches run.ireeprof                                what IREE's tools write with ` +
	`--device_profiling_output
  zonemark trace dispatches run.tracy --rule '^(?P<invocation>BenchmarkIteration)$'
  zonemark trace dispatches run.tracy --rule '^Run (?P<invocation>\d+)$' --rule '^kernel/(?P<dispatch>.*)'
  zonemark trace dispatches run.tracy --suite suite.toml                the rules of its key trace_rules
  zonemark trace dispatches run.tracy --format csv -o dispatches.csv
`

func dispatchesVerb() verb {
	return verb{
		name: "dispatches", summary: "a tree of invocations, their dispatches and workgroups",
		intro: dispatchesIntro, least: 1, most: 1,
		declare: func(f *flags) action {
			v := &showingDispatches{flags: f, warmup: correlate.UsualWarmup}
			v.declare()
			return v
		},
	}
}

// showingDispatches is what the verb dispatches does.
type showingDispatches struct {
	*flags
	rules         []string
	suite, output string
	warmup        int64
	iterations    bool
	options       correlate.Options
}

func (v *showingDispatches) declare() {
	set := v.set
	set.Var(cli.Choice(&v.format, []string{rowtext.Text, rowtext.CSV}), "format",
		"text: the tree; csv: a row for each dispatch of each iteration, in nanoseconds")
	set.Var(cli.List(&v.rules, "regexp"), "rule",
		"pattern of zones' names, with the groups invocation and dispatch; repeatable")
	set.StringVar(&v.suite, "suite", "", "take the rules of this suite (its key trace_rules) as well, after those "+
		"of --rule")
	set.StringVar(&v.options.BracketName, "bracket", "invocation", "name of the zones around invocations")
	set.Var(cli.Count(&v.warmup), "warmup", "number of first iterations of each invocation that medians "+
		"leave out as warm-up; if an invocation has no others, they count")
	set.BoolVar(&v.iterations, "iterations", false, "show every iteration by itself")
	v.flags.output(&v.output)
}

func (v *showingDispatches) settle([]string) (err error) {
	v.options.WarmupIterations = int(min(v.warmup, 1<<30))
	v.options.Rules, err = parseRules(v.rules)
	return err
}

func (v *showingDispatches) run(c *call) int {
	if isProfile(c.paths[0]) {
		return showProfile(c.Streams, c.paths[0], v.format)
	}
	if v.suite != "" {
		more, err := suiteRules(v.suite, c.Runtimes.Options())
		if err != nil {
			return c.fail(err)
		}
		v.options.Rules = append(v.options.Rules, more...)
	}
	r, err := c.open(c.paths[0])
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	var walk error
	result, err := correlate.Join(r.watched(&walk), v.options)
	if err != nil {
		return r.settle(err)
	}
	err = c.writeOutput(v.output, c.paths, func(w io.Writer) error {
		if v.format == rowtext.CSV {
			return dispatchcsv.Write(w, result.Rows())
		}
		return showDispatches(w, result, v.iterations, cli.TerminalWidth(c.Out))
	})
	if err != nil {
		return c.fail(err)
	}
	if len(result.Invocations) == 0 {
		r.settle(walk) // a capture that was cut may have lost what we look for
		return c.Fail("%s: no zone is around an invocation (%q with text inv=<id>), and no rule gives a zone an "+
			"invocation, so the calls are not known\n"+
			"this shows all zones: %s\n"+
			"of a capture made elsewhere, a rule tells which zones are calls (--suite has more, --bracket another name):\n  %s",
			r.path, v.options.BracketName, cli.CommandLine("trace stats", r.path), cli.CommandLine("trace dispatches", r.path,
				"--rule", "^(?P<invocation>NAME OF A ZONE)$"))
	}
	v.say(c, r, result)
	return r.settle(walk)
}

// say says what is wrong with a correlation, and sums it up.
func (v *showingDispatches) say(c *call, r *openCapture, result *correlate.Result) {
	for _, warning := range result.Warnings {
		c.Say("zonemark: warning: %s: %s", r.path, warning)
	}
	if !v.quiet {
		c.Say("joined by %s: %s in %s; %s outside", result.Method, report.Counted(int(result.Zones), "zone"),
			report.Counted(len(result.Invocations), "invocation"), report.Grouped(result.Outside))
	}
	if len(result.Orphans) > 0 { // their number is among the warnings
		first := &result.Orphans[0]
		c.Say("zonemark: the first of them: %s at %.6f ms, %s", report.Printable(first.Name),
			float64(first.StartNS)/1e6, first.Why)
	}
}

func parseRules(texts []string) (rules []correlate.Rule, err error) {
	for _, text := range texts {
		rule, err := correlate.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--rule: %w", err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// suiteRules are the rules of a suite file. The runtimes' options are keys of suites.
func suiteRules(path string, options []invocations.Option) ([]correlate.Rule, error) {
	if err := cli.CheckExists(path, "a suite (.toml)"); err != nil {
		return nil, fmt.Errorf("--suite: %w", err)
	}
	s, err := suite.Parse(path, options)
	if err != nil {
		return nil, err
	}
	if len(s.TraceRules) == 0 {
		return nil, fmt.Errorf("%s has no trace_rules: write some above its first table, or give --rule", path)
	}
	return parseRules(s.TraceRules)
}

// watched returns the zones of the capture with progress and interrupts. It keeps the error that ends a walk: Join makes
// the best of what came before.
func (c *openCapture) watched(walk *error) trace.Source {
	if c.file != nil {
		return watchedFile{c.file, c, walk}
	}
	return watchedTable{c, walk}
}

// watchedFile is a capture that is watched.
type watchedFile struct {
	*trace.File
	capture *openCapture
	walk    *error
}

// Info says whether the capture is known to miss something. It is without warnings, which settle shows.
func (w watchedFile) Info() trace.Info {
	info := w.File.Info()
	info.Warnings = nil
	return info
}

// WalkRaw is that of trace.File, until the command is interrupted.
func (w watchedFile) WalkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	err := w.capture.walkRaw(first, each)
	if err != nil {
		*w.walk = err
	}
	return err
}

// watchedTable is a table that is watched.
type watchedTable struct {
	*openCapture
	walk *error
}

// TextTrusted says whether the texts of a location are those that its zones were given; see trace.Table.
func (w watchedTable) TextTrusted(l *trace.Location) bool { return w.table.TextTrusted(l) }

// Zones yields the zones of the table.
func (w watchedTable) Zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		for z, err := range w.zones() {
			if err != nil {
				*w.walk = err
			}
			if !yield(z, err) {
				return
			}
		}
	}
}
