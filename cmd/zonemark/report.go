package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/journal"
	"zonemark/driver/report"
	"zonemark/driver/report/rank"
	"zonemark/driver/report/reportpage"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/stats"
)

const reportIntro = `Write a page (HTML) about the results in journals: a table with verdicts, groups with their
rankings, times over parameters, and for each invocation its samples, dispatches and counters. The page is one file
that needs nothing from elsewhere. With --format, it prints the report that the run of the journal has printed.

Usage: zonemark report [flags] JOURNAL… --html FILE.html
       zonemark report [flags] JOURNAL --format text|csv|…

Examples:
  zonemark report results.ndjson --html report.html
  zonemark report before.ndjson after.ndjson --html both.html
  zonemark report results.ndjson --filter gemm --html gemm.html
  zonemark report results.ndjson --format csv >results.csv
`

// reporting is a call of the verb report.
type reporting struct {
	program.Program
	page   string // a file; empty: none
	format string // on standard output; empty: none
	filter string
	quiet  bool
}

func reportCommand(ctx context.Context, p program.Program, args []string) int {
	r := reporting{Program: p}
	set := cli.NewFlagSet("report")
	set.StringVar(&r.page, "html", "", "write the page (HTML) to this file; a page that is there is replaced")
	cli.FormerlyOutput(set, "html")
	set.StringVar(&r.format, "format", "", "report on standard output: "+strings.Join(p.Formats.Names(), ", "))
	cli.Takes(set, "format", p.Formats.Names())
	cli.Elsewhere(set, "format", "csv=csv", "json=ndjson", "text=text", "export-csv=csv>", "to-csv=csv>",
		"export-json=ndjson>")
	cli.Elsewhere(set, "html", "plot", "page", "export-html", "png", "svg", "pdf")
	set.StringVar(&r.filter, "filter", "", "keep only invocations whose name matches this regular expression")
	set.BoolVarP(&r.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
	err := cli.Parse(set, p.Streams, args, reportIntro)
	if err == nil {
		err = cmp.Or(formatMeant(p, set, args), kindOfFile(set, args))
	}
	if err == nil && set.NArg() == 0 {
		err = errors.New("report needs the path of a journal (run -o FILE writes one)")
	}
	if err == nil {
		err = ofAnotherVerb(p, "report", set.Arg(0))
	}
	if err == nil && r.format != "" && set.NArg() > 1 {
		err = &cli.Signpost{Text: fmt.Sprintf("report --format shows one journal, and there are %d; this compares the first two:",
			set.NArg()), Command: cli.CommandLine("compare", set.Arg(0), set.Arg(1))}
	}
	if err == nil && r.page == "" && r.format == "" {
		err = &cli.Signpost{Text: "report needs the name of the page", Command: commandOf("report", set.Args()...)}
	}
	if err != nil {
		return p.Misused("report --help", err)
	}
	err = r.run(ctx, set.Args())
	var reading *journal.InterruptedError
	switch {
	case err != nil && ctx.Err() != nil && !errors.As(err, &reading):
		return p.Fail("interrupted while the report was made")
	case err != nil:
		return p.Fail("%v", err)
	}
	return cli.ExitOK
}

func (r *reporting) run(ctx context.Context, journals []string) error {
	keep, err := cli.Compile("--filter", r.filter)
	if err != nil {
		return err
	}
	if err := measuring.CheckPage("--html", r.page); err != nil {
		return err
	}
	cli.CollectForFiles(journals...)
	var sources []reportpage.Source
	n := 0
	for i, path := range journals {
		s, err := r.read(ctx, path, keep)
		if err != nil {
			return err
		}
		defer s.Run.Records.Close()
		defer context.AfterFunc(ctx, func() { _ = s.Run.Records.Close() })() // so that it is not read to its end
		n += s.Run.Records.Len()
		s.Journal = filepath.Base(path)
		if slices.ContainsFunc(slices.Delete(slices.Clone(journals), i, i+1), func(other string) bool {
			return filepath.Base(other) == s.Journal
		}) {
			s.Journal = path
		}
		sources = append(sources, s)
	}
	if n == 0 && r.filter != "" {
		text := fmt.Sprintf("--filter %s: no result has such a name", r.filter)
		if list := cli.ValuesOf("--filter", r.Arguments); len(list) > 0 {
			return &cli.Signpost{Text: text + "; without it:",
				Command: "zonemark " + shellwords.Line(list[0].Replaced(r.Arguments)...)}
		}
		return errors.New(text)
	}
	if n == 0 {
		return fmt.Errorf("there is no result to report in %s%s", strings.Join(journals, ", "), whyOf(sources))
	}
	if r.page != "" {
		if err := reportpage.CheckCount(n); err != nil { // before all results are read for it
			return fmt.Errorf("the page %s was not written: %w", r.page, err)
		}
	}
	for i := range sources {
		run := &sources[i].Run
		if run.Rankings, err = rank.Groups(run.Records, stats.RankOptions{}); err != nil {
			return err
		}
	}
	if r.format != "" {
		if err := r.show(sources[0].Run); err != nil {
			return err
		}
	}
	if r.page == "" {
		return nil
	}
	if err := measuring.WritePage(r.page, r.Cache(), sources); err != nil {
		return err
	}
	if !r.quiet {
		r.Say("wrote %s: %s", r.page, report.Counted(n, "invocation"))
	}
	return nil
}

// show writes the results of a journal to standard output as its run did.
func (r *reporting) show(run report.Run) error {
	format, err := r.Formats.Lookup(r.format)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	run.Width, run.Colours = cli.TerminalWidth(r.Out), cli.Colours(r.Out, r.Variables.Lookup)
	return format.Write(r.Out, run)
}

// whyOf returns why journals are not complete, for the end of a sentence.
func whyOf(sources []reportpage.Source) string {
	for _, s := range sources {
		if s.Why != "" {
			return ": " + s.Why
		}
	}
	return ""
}

// read reads a journal. Groups are not ranked yet.
func (r *reporting) read(ctx context.Context, path string, keep *regexp.Regexp) (reportpage.Source, error) {
	if err := cli.CheckExists(path, "a journal (run -o FILE writes one)"); err != nil {
		return reportpage.Source{}, err
	}
	stored, err := journal.Reading{Keep: keep.MatchString}.File(ctx, path)
	if err != nil {
		return reportpage.Source{}, err
	}
	if !stored.Complete {
		r.Say("warning: %s is not complete: %s", path, stored.Why)
	}
	records := stored.Records
	if r.format != "" { // as its run shows them, and not as they were ready
		records = stored.InOrder()
	}
	header := stored.Header
	return reportpage.Source{Why: stored.Why, Run: report.Run{
		Build: header.Build, Started: header.Started, Command: header.Command, Environment: header.Environment,
		Records: records, Complete: stored.Complete,
	}}, nil
}
