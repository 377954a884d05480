package traceverbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
)

// tabularUsage is the help of --format.
const tabularUsage = "report on standard output; times of csv and ndjson are in nanoseconds"

// filterUsage is the help of --filter, for zones.
const filterUsage = "keep only zones whose name matches this regular expression"

// flags are what the verbs have in common.
type flags struct {
	set    *pflag.FlagSet
	quiet  bool
	format string
}

func newFlags(verb string) *flags {
	f := &flags{set: cli.NewFlagSet("trace " + verb), format: rowtext.Text}
	f.set.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
	return f
}

// tabular adds --format for verbs that write one table.
func (f *flags) tabular() {
	words := []string{rowtext.Text, rowtext.CSV, rowtext.NDJSON}
	f.set.Var(cli.Choice(&f.format, words), "format",
		tabularUsage)
	cli.Elsewhere(f.set, "format", "csv=csv", "json=ndjson", "o=csv>", "output=csv>")
}

// output adds --output.
func (f *flags) output(path *string) {
	f.set.StringVarP(path, "output", "o", "",
		"write to this file instead of standard output; a file that exists is replaced")
}

// call is one use of a verb.
type call struct {
	program.Program
	*flags
	ctx   context.Context
	args  []string // behind the verb
	paths []string
}

// run parses the arguments and runs the verb.
func (v *verb) run(ctx context.Context, p program.Program, args []string) int {
	cli.RelaxCollector() // the live heap of a walk is small
	c := &call{Program: p, flags: newFlags(v.name), ctx: ctx, args: args}
	action := v.declare(c.flags)
	if c.set.Lookup("limit") != nil {
		cli.Elsewhere(c.set, "limit", "top", "n", "head")
	} else {
		cli.Needless(c.set, "quiet", "top=", whole, "limit=", whole, "n=", whole, "sort=", whole)
	}
	const drawn = "has no counterpart: zonemark trace chrome -o FILE.json writes a timeline for Perfetto"
	cli.Needless(c.set, "quiet", "html=", drawn, "plot=", drawn, "svg=", drawn, "png=", drawn)
	if c.set.Lookup("filter") != nil {
		cli.Elsewhere(c.set, "filter", "name", "zone", "match", "grep")
	}
	err := cli.Parse(c.set, p.Streams, args, v.intro)
	if err == nil {
		c.paths = c.set.Args()
		err = v.countPaths(c)
	}
	if err == nil {
		err = action.settle(c.paths)
	}
	if err != nil {
		return c.refuse(err)
	}
	return action.run(c)
}

// whole says why a verb has no limit.
const whole = "has no counterpart: this shows everything; zonemark trace stats --limit N shows the zones that took " +
	"longest"

// countPaths checks the number of paths. The error about a second one that is no file has it as that of the output.
func (v *verb) countPaths(c *call) error {
	n, want := len(c.paths), "the path of a capture"
	if v.least == 2 {
		want = "the paths of two captures"
	}
	text := fmt.Sprintf("trace %s needs %s, not %d paths", v.name, want, n)
	switch {
	case n >= v.least && n <= v.most:
		return nil
	case n == 2 && c.set.Lookup("output") != nil && !cli.Exists(c.paths[1]):
		return &cli.Signpost{Text: c.paths[1] + " is no file; what is written has a flag:",
			Command: cli.CommandLine(c.set.Name(), c.paths[0], "-o", c.paths[1])}
	case n < v.least && v.name != "tt": // which takes tables
		captures, _ := filepath.Glob("*.tracy") // the pattern is well-formed
		captures = slices.DeleteFunc(captures, func(path string) bool { return slices.Contains(c.paths, path) })
		if missing := v.least - n; len(captures) >= missing {
			return &cli.Signpost{Text: text + ":",
				Command: cli.CommandLine(c.set.Name(), append(slices.Clone(c.args), captures[:missing]...)...)}
		}
	}
	return errors.New(text)
}

// refuse says what is wrong with the command line and returns the exit status.
func (c *call) refuse(err error) int { return c.Misused(c.set.Name()+" --help", err) }

// fail says what went wrong and returns the exit status.
func (c *call) fail(err error) int {
	var post *cli.Signpost
	if errors.As(err, &post) {
		return c.refuse(post)
	}
	return c.Fail("%v", err)
}

// optionalRE compiles a flag that selects. Without a text it returns nil, which selects everything.
func optionalRE(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	return cli.Compile(name, text)
}
