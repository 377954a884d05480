// Package traceverbs is the command "zonemark trace": a table of verbs that look at captures, one row and one file
// each, and what they share: opening captures and the tables made of them, progress, warnings, and rows for people and
// programs. It measures nothing.
package traceverbs

import (
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
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
	"csvexport": "csv", "to-csv": "csv", "export": "csv", "compare": "diff", "summary": "stats",
	"top": "stats", "report": "stats",
	"profile": "stats", "slowest": "stats", "hottest": "stats", "html": "chrome", "plot": "chrome",
	"perfetto": "chrome", "json": "chrome", "flame": "chrome", "flamegraph": "chrome",
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

// Family is "zonemark trace".
func Family() program.Family { return familyOf(verbs()) }

// familyOf is Family with a table of verbs.
func familyOf(table []verb) program.Family {
	f := program.Family{
		Name: "trace",
		Intro: `Inspect Tracy captures (.tracy) of versions 0.9 to 0.14, and the CSV files (tracy-csvexport -u, ` +
			`zonemark trace csv -u) that were made of them; with tt and
diff also the tables of tt-metal's profiler.

Usage: zonemark trace VERB [flags] FILE…
`,
		End:     "\nExamples:\n",
		Instead: instead,
	}
	for _, v := range table {
		f.Verbs = append(f.Verbs, program.Verb{Name: v.name, Summary: v.summary, Run: v.run})
		if v.example != "" {
			f.End += "  " + v.example + "\n"
		}
	}
	f.End += `
"zonemark trace VERB --help" shows the flags of a verb. ` +
		`A capture that cannot be read to its end is reported as far as it goes, with exit status 1.
`
	return f
}

// instead returns the error about a word that is no verb: with the command that was meant, if it is a capture, or what
// other programs call a verb.
func instead(args []string, none error) error {
	if cli.Exists(args[0]) {
		return &cli.Signpost{Text: "trace needs a verb before the capture", Command: cli.CommandLine("trace info", args...)}
	}
	if ours := verbsElsewhere[args[0]]; ours != "" && len(args) > 1 {
		return &cli.Signpost{Text: fmt.Sprintf("trace has no verb %q; it is %s here:", args[0], ours),
			Command: cli.CommandLine("trace "+ours, args[1:]...)}
	}
	return none
}
