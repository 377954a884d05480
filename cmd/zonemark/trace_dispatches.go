package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/report"
	"zonemark/invocations/suite"
	"zonemark/trace"
	"zonemark/trace/correlate"
	"zonemark/trace/dispatchcsv"
)

const traceDispatchesIntro = `Show the dispatches of each invocation as a tree: invocation, its dispatches with their workgroups, and where the rest of the time went.

Usage: zonemark trace dispatches [flags] FILE

Zones are joined to invocations by the zones that zonemark puts around them (text inv=<id>), by source files inv://ID/…, or by rules. A rule is a
regular expression for names of zones: its group (?P<invocation>…) captures the id of an invocation, whose calls the zones are; its group (?P<dispatch>…)
the name of a dispatch, whose workgroups they are. The first rule that matches a zone counts. Bars are relative to the whole call. Times are medians over iterations, without the first --warmup ones.

Examples:
  zonemark trace dispatches run.tracy
  zonemark trace dispatches run.tracy --iterations                      every call by itself
  zonemark trace dispatches run.ireeprof                                what IREE's tools write with --device_profiling_output
  zonemark trace dispatches run.tracy --rule '^(?P<invocation>BenchmarkIteration)$'
  zonemark trace dispatches run.tracy --rule '^Run (?P<invocation>\d+)$' --rule '^kernel/(?P<dispatch>.*)'
  zonemark trace dispatches run.tracy --suite suite.toml                the rules of its key trace_rules
  zonemark trace dispatches run.tracy --format csv -o dispatches.csv
`

func traceDispatchesCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newTraceFlags("dispatches")
	var (
		rules      []string
		suite      string
		warmup     int64
		iterations bool
		output     string
		o          correlate.Options
	)
	f.set.Var(cli.Choice[string]{Value: &f.format, Words: []string{formatText, formatCSV}}, "format", "text: the tree; csv: a row for each dispatch of each iteration, in nanoseconds")
	f.set.Var(cli.List{List: &rules, Kind: "regexp"}, "rule", "what names of zones say, by the groups invocation and dispatch; repeatable")
	f.set.StringVar(&suite, "suite", "", "take the rules of this suite (its key trace_rules) as well, after those of --rule")
	f.set.StringVar(&o.BracketName, "bracket", "invocation", "name of the zones around invocations")
	f.set.Var(cli.Count{N: &warmup}, "warmup", "first iterations of each invocation that medians leave out")
	f.set.BoolVar(&iterations, "iterations", false, "show every iteration by itself")
	f.set.StringVarP(&output, "output", "o", "", "write to this file instead of standard output; a file that exists is replaced")
	paths, err := f.parse(s, args, traceDispatchesIntro, 1, 1)
	if err == nil {
		o.Rules, err = parseRules(rules)
	}
	if err != nil {
		return f.refused(s, err)
	}
	if isProfile(paths[0]) {
		return showProfile(s, paths[0], f.format)
	}
	if suite != "" {
		more, err := suiteRules(suite)
		if err != nil {
			return s.Fail("%v", err)
		}
		o.Rules = append(o.Rules, more...)
	}
	o.WarmupIterations = int(min(warmup, 1<<30))
	c, err := openTrace(ctx, s, f, paths[0])
	if err != nil {
		return s.Fail("%v", err)
	}
	defer c.Close()
	var walk error
	result, err := correlate.Join(watchedSource{c, &walk}, o)
	if err != nil {
		return c.settle(s, err)
	}
	err = c.writeTo(s, output, func(w io.Writer) error {
		if f.format == formatCSV {
			return dispatchcsv.Write(w, result.Rows())
		}
		return showDispatches(w, result, iterations, cli.TerminalWidth(s.Out))
	})
	if err != nil {
		return s.Fail("%v", err)
	}
	if len(result.Invocations) == 0 {
		c.settle(s, walk) // a capture that was cut may have lost what we look for
		return s.Fail("%s: no zone is around an invocation (%q with text inv=<id>), and no rule gives a zone an invocation; give --rule or --suite, or --bracket NAME", c.path, o.BracketName)
	}
	for _, warning := range result.Warnings {
		s.Say("zonemark: warning: %s: %s", c.path, warning)
	}
	if !f.quiet {
		s.Say("joined by %s: %s in %s; %s outside", result.Method, report.Counted(int(result.Zones), "zone"), report.Counted(len(result.Invocations), "invocation"),
			report.Grouped(result.Outside))
	}
	if len(result.Orphans) > 0 { // their number is among the warnings
		first := &result.Orphans[0]
		s.Say("zonemark: the first of them: %s at %.6f ms, %s", report.Printable(first.Zone.Name()), float64(first.Zone.StartNS)/1e6, first.Why)
	}
	return c.settle(s, walk)
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

// suiteRules are the rules of a suite file.
func suiteRules(path string) ([]correlate.Rule, error) {
	s, err := suite.Parse(path, runtimes.All().Options())
	if err != nil {
		return nil, err
	}
	if len(s.TraceRules) == 0 {
		return nil, fmt.Errorf("%s has no trace_rules: write some above its first table, or give --rule", path)
	}
	return parseRules(s.TraceRules)
}

// watchedSource is a capture with progress and interrupts, which keeps the error that ended a walk: Correlate makes the best of what came before.
type watchedSource struct {
	*openCapture
	walk *error
}

// Info says whether the capture is known to miss something. It is without warnings, which settle shows.
func (w watchedSource) Info() (info trace.Info) {
	if w.file != nil {
		info = w.file.Info()
		info.Warnings = nil
	}
	return info
}

// TextTrusted says whether the texts of a location are those that its zones were given; see trace.Table.
func (w watchedSource) TextTrusted(l *trace.Location) bool {
	return w.table == nil || w.table.TextTrusted(l)
}

// Zones yields the zones of the capture.
func (w watchedSource) Zones() iter.Seq2[trace.Zone, error] {
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

func showDispatches(out io.Writer, c *correlate.Result, iterations bool, width int) error {
	w := bufio.NewWriter(out)
	for i := range c.Invocations {
		inv := &c.Invocations[i]
		name := inv.ID
		if inv.Name != "" {
			name += " " + inv.Name
		}
		fmt.Fprintf(w, "%s: %s; %s%s\n", report.Printable(name), report.Counted(len(inv.Iterations), "iteration"), inv.Verdict, flagText(inv.Flags))
		if !iterations {
			if err := report.WriteParts(w, summaryParts(inv), width); err != nil {
				return err
			}
			continue
		}
		for k := range inv.Iterations {
			it := &inv.Iterations[k]
			warmup := ""
			if it.Warmup {
				warmup = ", warm-up"
			}
			fmt.Fprintf(w, " iteration %d at %.6f ms, %s%s%s\n", it.Number, float64(it.StartNS)/1e6, report.Time(float64(it.BracketNS)), warmup, flagText(it.Flags))
			if err := report.WriteParts(w, iterationParts(it), width); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func flagText(f correlate.Flags) string {
	if f == 0 {
		return ""
	}
	return " (" + f.String() + ")"
}

// summaryParts are the medians over iterations.
func summaryParts(inv *correlate.Invocation) (list []report.Part) {
	for i := range inv.Dispatches {
		d := &inv.Dispatches[i]
		p := report.Part{Name: d.Name, NS: d.MedianNS, Workgroups: d.Workgroups, Threads: d.Threads}
		if d.SourceFile != "" {
			p.Place = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine)
		}
		list = append(list, p)
	}
	return append(list, report.Part{Name: "gaps", NS: inv.GapNS}, report.Part{Name: "host", NS: inv.HostNS})
}

func iterationParts(it *correlate.Iteration) (list []report.Part) {
	for i := range it.Dispatches {
		d := &it.Dispatches[i]
		p := report.Part{Name: d.Name, NS: float64(d.WallNS), Workgroups: d.Workgroups, Threads: d.Threads, SummedNS: float64(d.TotalNS)}
		if d.SourceFile != "" {
			p.Place = fmt.Sprintf("%s:%d", d.SourceFile, d.SourceLine)
		}
		list = append(list, p)
	}
	return append(list, report.Part{Name: "gaps", NS: float64(it.GapNS)}, report.Part{Name: "host", NS: float64(it.HostNS)},
		report.Part{Name: "unexplained", NS: float64(it.UnexplainedNS)})
}
