// Package comparing carries out the verb compare: it reads two sets of results, compares them row by row, and reports what
// became faster or slower. Package compare decides. This package knows flags, files and reports.
package comparing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/compare"
	"zonemark/driver/machine"
	"zonemark/driver/report"
	"zonemark/invocations/files"
)

// The exit statuses of comparisons, beside those of package cli.
const (
	ExitRegression = 3
	ExitUndecided  = 4
)

// Run compares, and returns the exit status: 0 the same or better, 1 an error, 3 something is slower, broken or missing, 4
// some rows are undecided.
func (f *Flags) Run(ctx context.Context) int {
	switch {
	case f.bisect:
		return f.runBisect(ctx)
	case f.measure:
		return f.runMeasure(ctx)
	}
	before, after, err := readBoth(ctx, f.arguments[0], f.arguments[1])
	if err != nil {
		return f.Fail("%v", err)
	}
	c := &comparison{before: before, after: after, rows: compare.Compare(before, after, f.options),
		trial: f.trial(before, after)}
	if !c.common() {
		return f.Fail("%s and %s have no measurement in common: ids and names differ", before.Source, after.Source)
	}
	status := f.report(c, f.output)
	if status == ExitUndecided && !f.Quiet {
		f.sayHowToDecide()
	}
	return status
}

// report writes the report to standard output or to a file, and returns the exit status. Formats for programs have no
// place for what must be known before any verdict, so it goes to standard error.
func (f *Flags) report(c *comparison, output string) int {
	c.missingOK = f.missingOK
	if slices.Contains([]string{rowtext.CSV, rowtext.NDJSON, formatJUnit}, f.format) {
		for _, n := range c.notes() {
			f.Say("note: %s", n)
		}
	}
	err := f.write(c, f.format, output)
	if err == nil && f.page != "" {
		err = f.write(c, formatHTML, f.page)
	}
	if err != nil {
		return f.Fail("%v", err)
	}
	missing := !f.missingOK && compare.AnyMissing(c.rows)
	if missing {
		f.Say("rows that were measured before are not measured now; if that is meant, accept it with --missing-ok")
	}
	switch worse, undecided := compare.Regressions(c.rows); {
	case worse || missing:
		return ExitRegression
	case undecided && !f.undecidedOK:
		return ExitUndecided
	}
	return cli.ExitOK
}

// readBoth reads both files. An interrupt ends it, also if a file is a pipe to which nobody writes.
func readBoth(ctx context.Context, old, fresh string) (before, after *compare.Set, err error) {
	cli.CollectForFiles(old, fresh)
	type sides struct {
		before, after *compare.Set
		err           error
	}
	read := make(chan sides, 1)
	go func() {
		before, errOld := compare.Read(old)
		after, errNew := compare.Read(fresh)
		read <- sides{before, after, errors.Join(errOld, errNew)}
	}()
	var s sides
	select {
	case s = <-read:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // reading a pipe ends with an error of its own, too, for each side
		return nil, nil, fmt.Errorf("interrupted while reading %s and %s", old, fresh)
	}
	return s.before, s.after, s.err
}

// trial returns what zonemark doctor has found on the machine on which both sets were measured; nil if they are from
// different machines, or if it was never asked there.
func (f *Flags) trial(before, after *compare.Set) *machine.Trial {
	if before.Environment == nil || after.Environment == nil || len(compare.Machines(before, after)) > 0 {
		return nil
	}
	path, err := measuring.MachineFile(f.Cache())
	if err != nil {
		return nil // without a cache nothing is known
	}
	known, _ := machine.Open(path, after.Environment) // of a damaged file, nothing is known either
	return known.Trial()
}

// write writes the report in a format to standard output or to a file.
func (f *Flags) write(c *comparison, format, output string) error {
	show := map[string]func(io.Writer) error{
		rowtext.Text:   func(w io.Writer) error { return c.text(w, cli.TerminalWidth(f.Out), f.all) },
		rowtext.CSV:    func(w io.Writer) error { return c.lines(w, format) },
		rowtext.NDJSON: func(w io.Writer) error { return c.lines(w, format) },
		formatMarkdown: c.markdown,
		formatJUnit:    c.junit,
		formatHTML:     c.html,
	}[format]
	if output == "" {
		return show(f.Out)
	}
	var b bytes.Buffer
	if err := show(&b); err != nil {
		return err
	}
	return files.Write(output, 0o666, b.Bytes())
}

// comparison is what is reported.
type comparison struct {
	before, after *compare.Set
	rows          []compare.Row
	trial         *machine.Trial // of the machine of both sets; nil if there was none
	missingOK     bool           // rows that are not measured any more are no failures
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
	notes = compare.Differences(c.before, c.after)
	for _, s := range []*compare.Set{c.before, c.after} {
		for _, n := range s.Notes {
			notes = append(notes, s.Source+": "+n)
		}
	}
	if text := c.trial.Text(); text != "" {
		notes = append(notes, text)
	}
	for i := range notes {
		notes[i] = report.Printable(notes[i])
	}
	return notes
}

// verdicts are those of rows: first what became worse, then what became better, then what is not known.
var verdicts = []compare.Verdict{
	compare.Broken, compare.Slower, compare.Missing, compare.Faster, compare.Mended, compare.Undecided,
	compare.Failed, compare.Same,
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
