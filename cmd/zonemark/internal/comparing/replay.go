package comparing

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver"
	"zonemark/driver/bundle"
	"zonemark/driver/compare"
	"zonemark/driver/journal"
	"zonemark/driver/report"
	"zonemark/driver/report/texttable"
	"zonemark/invocations/shellwords"
)

const replayIntro = `Measure everything in a bundle again on this machine (run --bundle FILE writes one),
and compare with the results in it. A bundle that was changed is refused. The code
in it runs in the sandbox and reads only the bundle and the system.

Usage: zonemark replay [flags] BUNDLE

Exit status: 0 the same or better, 1 an error, 3 something is slower, broken or
missing, 4 some rows are undecided.

Examples:
  zonemark run kernels.c --param n=4096 --bundle kernels.bundle
  zonemark replay kernels.bundle
  zonemark replay kernels.bundle --show              only say what it holds
`

// replaying is the command line of the verb replay.
type replaying struct {
	*Flags
	digest  string
	maxSize int64
	show    bool
}

// Replay is the verb replay: it reads the arguments, does what they say and returns the exit status.
func Replay(ctx context.Context, p program.Program, args []string) int {
	f := &replaying{
		Flags:   &Flags{format: rowtext.Text, options: compare.DefaultOptions()},
		maxSize: measuring.MaxBundle,
	}
	f.Flags.Flags = measureflags.NewReplay("replay", p, f.add)
	paths, err := f.Flags.Flags.Parse(args, replayIntro)
	if err == nil {
		err = f.check(paths)
	}
	if err != nil {
		return p.Misused("replay --help", err)
	}
	return f.run(ctx, paths[0])
}

func (f *replaying) add(shared *measureflags.Flags) {
	s := shared.Set
	s.BoolVar(&f.show, "show", false, "say what the bundle holds, and measure nothing")
	s.StringVar(&f.digest, "digest", "", "refuse a bundle whose digest does not begin with this; run says it when it has "+
		"written one")
	s.Var(cli.Bytes(&f.maxSize), "max-size", "refuse a bundle that holds more than this")
	s.StringVarP(&f.output, "output", "o", "", "keep the new results in this journal")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace the journal of -o if there is one")
	f.addDecisions(s)
	cli.Refuse(s, "spread", "replay compares new results with those of the bundle, which one host must have measured: "+
		"give --via once, for one host after the other; zonemark run --spread shows how hosts differ")
}

func (f *replaying) check(paths []string) error {
	if len(paths) != 1 {
		return fmt.Errorf("replay takes one bundle; there %s", areSo(len(paths)))
	}
	return f.checkReport()
}

func (f *replaying) run(ctx context.Context, path string) int {
	if err := cli.CheckExists(path, "a bundle (run --bundle FILE writes one)"); err != nil {
		return f.Fail("%v", err)
	}
	b, err := bundle.Open(path, f.maxSize)
	if err != nil {
		return f.Fail("%v", err)
	}
	defer b.Close()
	if !strings.HasPrefix(b.Digest, strings.ToLower(f.digest)) {
		return f.Fail("%s: its digest is %s, and not %s", path, b.Digest, f.digest)
	}
	text, err := b.Journal()
	if err != nil {
		return f.Fail("%v", err)
	}
	stored, err := journal.Read(bytes.NewReader(text))
	if err != nil {
		return f.Fail("%s: %s: %v", path, bundle.JournalName, err)
	}
	defer stored.Records.Close()
	if f.show {
		return f.showBundle(path, b, stored)
	}
	before, err := compare.FromRecords(path, stored.Header.Environment, stored.Records)
	if err != nil {
		return f.Fail("%s: %s: %v", path, bundle.JournalName, err)
	}
	before.Started, before.Commit = stored.Header.Started, stored.Header.Commit
	after, err := f.again(ctx, path, b)
	if err != nil {
		return f.failed(ctx, err)
	}
	if was, is := stored.Header.Build, cli.Version(); was != is {
		after.Notes = append(after.Notes, fmt.Sprintf("measured by zonemark %s before, and by %s now", was, is))
	}
	return f.report(&comparison{
		before: before, after: after, rows: compare.Compare(before, after, f.options), trial: f.trial(before, after),
	}, "")
}

// again measures what the bundle holds.
func (f *replaying) again(ctx context.Context, path string, b *bundle.Bundle) (*compare.Set, error) {
	folder, err := f.Cache().Temporary("bundles")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := b.Unpack(folder); err != nil {
		return nil, err
	}
	m := measuring.New(&f.Task, nil)
	plan, err := m.Unpacked(b, folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list := invocationsOf(plan)
	if err := m.Provide(ctx, list); err != nil {
		return nil, err
	}
	m.Journal = driver.JournalFile{Path: f.output, Overwrite: f.overwrite}
	run, err := m.Execute(ctx, plan)
	defer func() { _ = run.Records.Close() }() // they are there with an error, too
	if err != nil {
		return nil, err
	}
	return compare.FromRecords("here", run.Environment, run.Records)
}

// showBundle says what a bundle holds.
func (f *replaying) showBundle(path string, b *bundle.Bundle, stored *journal.Stored) int {
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s\n  digest    %s\n  written   %s by zonemark %s\n  command   %s\n", report.Printable(path), b.Digest,
		b.Created.Format("2006-01-02 15:04:05 MST"), report.Printable(b.Build),
		report.Printable(shellwords.Line(stored.Header.Command...)))
	for _, key := range []string{"cpu", "cpus", "os", "arch", "kernel"} {
		if value := stored.Header.Environment[key]; value != "" {
			fmt.Fprintf(out, "  %-9s %s\n", key, report.Printable(value))
		}
	}
	out.WriteByte('\n')
	results := &texttable.Table{Columns: []texttable.Column{{Title: "name", Name: true}, {Title: "status"},
		{Title: "median", Right: true}, {Title: "verdict"}}}
	for r, err := range stored.Records.All() {
		if err != nil {
			return f.Fail("%s: %s: %v", path, bundle.JournalName, err)
		}
		median := ""
		if r.MedianNS != nil {
			median = report.Time(*r.MedianNS)
		}
		var verdicts []string
		for _, v := range r.Verdicts {
			verdicts = append(verdicts, string(v))
		}
		results.Add(report.Printable(r.Name), report.Printable(string(r.Status)), median,
			report.Printable(strings.Join(verdicts, ", ")))
	}
	files := &texttable.Table{Columns: []texttable.Column{{Title: "file", Name: true}, {Title: "size", Right: true}}}
	for _, e := range b.Entries {
		files.Add(report.Printable(filepath.ToSlash(e.Name)), report.Bytes(e.Size))
	}
	width := cli.TerminalWidth(f.Out)
	err := results.Write(out, width)
	if err == nil {
		out.WriteByte('\n')
		err = files.Write(out, width)
	}
	if err == nil {
		_, err = fmt.Fprint(f.Out, out.String())
	}
	return f.Done(err)
}
