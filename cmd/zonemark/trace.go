package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations/spelling"
)

// traceVerb is one way to look at a capture.
type traceVerb struct {
	name    string
	summary string
	run     func(ctx context.Context, s cli.Streams, args []string) int
}

// traceVerbs is the table of what "zonemark trace" can do, in the order of the help text.
func traceVerbs() []traceVerb {
	return []traceVerb{
		{"info", "what a capture is: program, host, duration, counts, warnings", traceInfoCommand},
		{"stats", "where the time went: a table by zone", traceStatsCommand},
		{"zones", "single zones, by name, text, thread, time, duration or depth", traceZonesCommand},
		{"dispatches", "a tree of invocations, their dispatches and workgroups", traceDispatchesCommand},
		{"csv", "the capture as CSV, in every dialect of tracy-csvexport", traceCSVCommand},
		{"diff", "what got slower between two captures", traceDiffCommand},
		{"tt", "where the time went on Tenstorrent's devices, from tt-metal's tables", traceTTCommand},
		{"chrome", "the capture as trace-event JSON for the Perfetto UI", traceChromeCommand},
	}
}

func traceCommand(ctx context.Context, s cli.Streams, args []string) int {
	if len(args) == 0 {
		traceUsage(s.Err)
		return cli.ExitError
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 2 && args[0] == "help" {
			return traceCommand(ctx, s, []string{args[1], "--help"})
		}
		traceUsage(s.Out)
		return cli.ExitOK
	}
	cli.RelaxCollector() // the live heap of a walk is small
	var names []string
	for _, v := range traceVerbs() {
		if v.name == args[0] {
			return v.run(ctx, s, args[1:])
		}
		names = append(names, v.name)
	}
	return s.Misused("trace --help", fmt.Errorf("trace has no verb %q%s", args[0], spelling.Suggest(args[0], names)))
}

func traceUsage(w io.Writer) {
	fmt.Fprint(w, `Inspect Tracy captures (.tracy) of versions 0.9 to 0.14, and the CSV files (tracy-csvexport -u, zonemark trace csv -u) that were made of them; with tt and
diff also the tables of tt-metal's profiler.

Usage: zonemark trace VERB [flags] FILE…

`)
	for _, v := range traceVerbs() {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, `
Examples:
  zonemark trace info run.tracy
  zonemark trace stats run.tracy --sort self --limit 20
  zonemark trace zones run.tracy --name matmul --min-duration 1ms
  zonemark trace diff before.tracy after.tracy
  zonemark trace tt generated/profiler
  zonemark trace chrome run.tracy -o run.json

"zonemark trace VERB --help" shows the flags of a verb. A capture that cannot be read to its end is reported as far as it goes, with exit status 1.
`)
}

// The formats of tables about captures.
const (
	formatText   = "text"
	formatCSV    = "csv"
	formatNDJSON = "ndjson"
)

// traceFlags are what the verbs have in common.
type traceFlags struct {
	set    *pflag.FlagSet
	quiet  bool
	format string
}

func newTraceFlags(verb string) *traceFlags {
	f := &traceFlags{set: pflag.NewFlagSet("trace "+verb, pflag.ContinueOnError), format: formatText}
	f.set.SortFlags = false
	f.set.SetOutput(io.Discard) // we print errors and help ourselves
	f.set.SetNormalizeFunc(cli.NormalizeFlag)
	f.set.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
	return f
}

func (f *traceFlags) tabular() {
	f.set.Var(cli.Choice[string]{Value: &f.format, Words: []string{formatText, formatCSV, formatNDJSON}}, "format", "report on standard output; times of csv and ndjson are in nanoseconds")
}

// parse reads the arguments and returns the paths: as many as least, or more where most allows. It returns cli.ErrHelp when help was printed.
func (f *traceFlags) parse(s cli.Streams, args []string, intro string, least, most int) ([]string, error) {
	if err := f.set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(s.Out, intro, "\nFlags:\n", f.set.FlagUsagesWrapped(cli.TerminalWidth(s.Out)))
			return nil, cli.ErrHelp
		}
		return nil, cli.FlagError(err, f.set)
	}
	paths := f.set.Args()
	if n := len(paths); n < least || n > most {
		want := "the path of a capture"
		if least == 2 {
			want = "the paths of two captures"
		}
		return nil, fmt.Errorf("%s needs %s, not %d paths", f.set.Name(), want, n)
	}
	return paths, nil
}

// refused is the exit status for what parse returned.
func (f *traceFlags) refused(s cli.Streams, err error) int {
	if errors.Is(err, cli.ErrHelp) {
		return cli.ExitOK
	}
	return s.Misused(f.set.Name()+" --help", err)
}

// anyNumber is the most for verbs that take files without limit.
const anyNumber = 1 << 30

// optionalRE compiles a flag that selects; without one it selects nothing away.
func optionalRE(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	return cli.Compile(name, text)
}

// joinedLines joins the lines of a text that a program wrote, without what it indents and aligns them with.
func joinedLines(text string) string { return strings.Join(strings.Fields(text), " ") }
