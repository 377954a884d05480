// Package comparing carries out the verb compare: it reads two sets of results, compares them row by row, and reports what
// became faster or slower. Package compare decides. This package knows flags, files and reports.
package comparing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/compare"
	"zonemark/driver/files"
	"zonemark/driver/report"
)

// The exit statuses of comparisons, beside those of package cli.
const (
	ExitRegression = 3
	ExitUndecided  = 4
)

// Flags are the command line of the verb.
type Flags struct {
	Set *pflag.FlagSet
	program.Program

	options     compare.Options
	undecidedOK bool
	all         bool
	format      string
	output      string
}

// The formats of reports.
const (
	formatText     = "text"
	formatCSV      = "csv"
	formatNDJSON   = "ndjson"
	formatMarkdown = "markdown"
	formatJUnit    = "junit"
)

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{Set: cli.NewFlagSet("compare"), Program: p, format: formatText}
	f.options = compare.DefaultOptions()
	f.Set.Var(cli.Fraction{Value: &f.options.Margin}, "margin", "relative difference that does not matter: a row "+
		"that surely lies within is the same")
	f.Set.Var(cli.Fraction{Value: &f.options.Alpha}, "alpha", "chance that any row is called faster or slower if none is")
	f.Set.BoolVar(&f.options.FDR, "fdr", false, "let --alpha be the share of wrong ones among the rows that are called "+
		"faster or slower (Benjamini and Hochberg), which finds more among many rows")
	f.Set.BoolVar(&f.undecidedOK, "undecided-ok", false, "exit with 0 if no row is slower, also if some are undecided")
	f.Set.BoolVar(&f.all, "all", false, "show rows that are the same, too, if there are more than a page of them")
	formats := []string{formatText, formatCSV, formatNDJSON, formatMarkdown, formatJUnit}
	f.Set.Var(cli.Choice[string]{Value: &f.format, Words: formats}, "format", "report on standard output")
	f.Set.StringVarP(&f.output, "output", "o", "", "write the report to this file, which is replaced")
	return f
}

// Check returns an error if the flags and paths do not make sense together.
func (f *Flags) Check() error {
	if n := f.Set.NArg(); n != 2 {
		return fmt.Errorf("compare takes two files with results, the old one first; there %s", areSo(n))
	}
	if f.options.Alpha <= 0 || f.options.Alpha >= 1 {
		return fmt.Errorf("--alpha %v: want more than 0 and less than 1", f.options.Alpha)
	}
	if f.options.Margin <= 0 || f.options.Margin >= 1 {
		return fmt.Errorf("--margin %v: want more than 0 and less than 1", f.options.Margin)
	}
	f.options.Floor = min(f.options.Floor, f.options.Margin)
	return nil
}

func areSo(n int) string {
	if n == 1 {
		return "is one"
	}
	return fmt.Sprintf("are %d", n)
}

// Run compares, and returns the exit status: 0 the same or better, 1 an error, 3 something is slower or broken, 4 some
// rows are undecided.
func (f *Flags) Run(context.Context) int {
	before, after, err := readBoth(f.Set.Arg(0), f.Set.Arg(1))
	if err != nil {
		return f.Fail("%v", err)
	}
	c := &comparison{before: before, after: after, rows: compare.Compare(before, after, f.options), options: f.options}
	if !c.common() {
		return f.Fail("%s and %s have no measurement in common: ids and names differ", before.Source, after.Source)
	}
	if err := f.write(c); err != nil {
		return f.Fail("%v", err)
	}
	switch worse, undecided := compare.Regressions(c.rows); {
	case worse:
		return ExitRegression
	case undecided && !f.undecidedOK:
		return ExitUndecided
	}
	return cli.ExitOK
}

func readBoth(old, fresh string) (before, after *compare.Set, err error) {
	before, errOld := compare.Read(old)
	after, errNew := compare.Read(fresh)
	return before, after, errors.Join(errOld, errNew)
}

// write writes the report to standard output or to the file of -o.
func (f *Flags) write(c *comparison) error {
	show := map[string]func(io.Writer) error{
		formatText:     func(w io.Writer) error { return c.text(w, cli.TerminalWidth(f.Out), f.all) },
		formatCSV:      c.csv,
		formatNDJSON:   c.ndjson,
		formatMarkdown: c.markdown,
		formatJUnit:    c.junit,
	}[f.format]
	if f.output == "" {
		return show(f.Out)
	}
	var b bytes.Buffer
	if err := show(&b); err != nil {
		return err
	}
	return files.Write(f.output, 0o666, b.Bytes())
}

// comparison is what is reported.
type comparison struct {
	before, after *compare.Set
	rows          []compare.Row
	options       compare.Options
}

// common reports whether any measurement is on both sides.
func (c *comparison) common() bool {
	for _, r := range c.rows {
		if r.Old != nil && r.New != nil {
			return true
		}
	}
	return false
}

// notes returns what a reader must know before any verdict.
func (c *comparison) notes() (notes []string) {
	if differ := compare.Machines(c.before, c.after); len(differ) > 0 {
		notes = append(notes, "the machines differ, and so may their times: "+strings.Join(differ, "; "))
	}
	for _, s := range []*compare.Set{c.before, c.after} {
		for _, n := range s.Notes {
			notes = append(notes, s.Source+": "+n)
		}
	}
	for i := range notes {
		notes[i] = report.Printable(notes[i])
	}
	return notes
}

// verdicts are those of rows, the worst first.
var verdicts = []compare.Verdict{
	compare.Broken, compare.Slower, compare.Undecided, compare.Failed, compare.Faster, compare.Mended, compare.Same,
	compare.Skipped, compare.OnlyOld, compare.OnlyNew,
}

// summary counts the rows by verdict: "2 slower, 1 undecided, 12 same".
func (c *comparison) summary() string {
	count := map[compare.Verdict]int{}
	for _, r := range c.rows {
		count[r.Verdict]++
	}
	var words []string
	for _, v := range verdicts {
		if count[v] > 0 {
			words = append(words, fmt.Sprintf("%s %s", report.Grouped(int64(count[v])), v))
		}
	}
	return strings.Join(words, ", ")
}
