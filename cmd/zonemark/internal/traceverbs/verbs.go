// Package traceverbs is the command "zonemark trace": a table of verbs that look at captures, one row and one file
// each, and what they share: opening captures and the tables made of them, progress, warnings, and rows for people and
// programs. It measures nothing.
package traceverbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/spelling"
)

// verb is a row of the table: one way to look at a capture.
type verb struct {
	name    string
	summary string // one line
	example string // command line for the help text of trace; may be empty
	intro   string // of the verb's own help text, above its flags
	least   int    // paths that it takes
	most    int

	// declare adds the verb's flags to those that all verbs have, and returns what the verb does with them.
	declare func(*flags) action
}

// action is what a verb does, with its flags.
type action interface {
	// settle completes the flags once they are parsed. It returns what is wrong with the command line.
	settle(paths []string) error
	// run does the work and returns the exit status.
	run(c *call) int
}

// verbsElsewhere has what other programs call verbs.
var verbsElsewhere = map[string]string{
	"csvexport": "csv", "to-csv": "csv", "export": "csv", "compare": "diff", "summary": "stats", "top": "stats", "report": "stats",
	"profile": "stats", "perfetto": "chrome", "json": "chrome", "flame": "chrome", "flamegraph": "chrome",
	"timeline": "chrome", "capture": "record",
}

// anyNumber is the most paths of verbs that take files without limit.
const anyNumber = 1 << 30

// verbs is the table of what "zonemark trace" can do, in the order of the help text.
func verbs() []verb {
	return []verb{
		infoVerb(), statsVerb(), zonesVerb(), dispatchesVerb(), csvVerb(), diffVerb(), ttVerb(), chromeVerb(), recordVerb(),
	}
}

// Run runs "zonemark trace" with the arguments behind these words and returns the exit status. Reading ends with ctx.
func Run(ctx context.Context, p program.Program, args []string) int {
	return runOf(ctx, p, args, verbs())
}

// runOf is Run with a table of verbs.
func runOf(ctx context.Context, p program.Program, args []string, table []verb) int {
	if len(args) == 0 {
		usage(p.Err, table)
		return cli.ExitError
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 2 && args[0] == "help" {
			return runOf(ctx, p, []string{args[1], "--help"}, table)
		}
		usage(p.Out, table)
		return cli.ExitOK
	}
	cli.RelaxCollector() // the live heap of a walk is small
	var names []string
	for i := range table {
		if table[i].name == args[0] {
			return table[i].run(ctx, p, args[1:])
		}
		names = append(names, table[i].name)
	}
	if _, err := os.Stat(args[0]); err == nil {
		return p.Misused("trace --help", &cli.Signpost{Text: "trace needs a verb before the capture",
			Command: cli.CommandLine("trace info", args...)})
	}
	none := fmt.Sprintf("trace has no verb %q", args[0])
	if ours := verbsElsewhere[args[0]]; ours != "" && len(args) > 1 {
		return p.Misused("trace --help", &cli.Signpost{Text: none + "; it is " + ours + " here:",
			Command: cli.CommandLine("trace "+ours, args[1:]...)})
	}
	if near := spelling.Nearest(args[0], names); near != "" && len(args) > 1 {
		return p.Misused("trace --help", &cli.Signpost{Text: fmt.Sprintf("%s; did you mean %q?", none, near),
			Command: cli.CommandLine("trace "+near, args[1:]...)})
	}
	return p.Misused("trace --help", errors.New(none+spelling.Suggest(args[0], names)))
}

func usage(w io.Writer, table []verb) {
	fmt.Fprint(w, `Inspect Tracy captures (.tracy) of versions 0.9 to 0.14, and the CSV files `+
		`(tracy-csvexport -u, zonemark trace csv -u) `+
		`that were made of them; with tt and
diff also the tables of tt-metal's profiler.

Usage: zonemark trace VERB [flags] FILE…

`)
	for _, v := range table {
		fmt.Fprintf(w, "  %-10s %s\n", v.name, v.summary)
	}
	fmt.Fprint(w, "\nExamples:\n")
	for _, v := range table {
		if v.example != "" {
			fmt.Fprintf(w, "  %s\n", v.example)
		}
	}
	fmt.Fprint(w, `
"zonemark trace VERB --help" shows the flags of a verb. `+
		`A capture that cannot be read to its end is reported as far as it goes, with exit status 1.
`)
}

// Summaries returns the names of the verbs, each with a line of help, in the order of the help text.
func Summaries() (list [][2]string) {
	for _, v := range verbs() {
		list = append(list, [2]string{v.name, v.summary})
	}
	return list
}

// Names returns the names of the verbs, in the order of the help text.
func Names() (names []string) {
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}
