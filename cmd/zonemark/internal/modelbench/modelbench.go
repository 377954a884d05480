// Package modelbench measures models end to end on a PJRT device, for the verb bench. It lets them be exported,
// measures their modules, and keeps the record. Package bench knows models, exporters and records.
package modelbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/bench"
	"zonemark/driver/environ"
	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// Benchmark is one run of the verb bench: its flags and its record.
type Benchmark struct {
	*Flags
	record    bench.RunRecord
	results   []invocations.Record // of the modules
	began     time.Time
	variables environ.Variables // of the exporter and of executors: set by the user, or of found components
	progress  *program.Installing
	talking   sync.Mutex // held for each message, since exporters send messages from goroutines of their own
	provided  bool       // plugins were found, and the user was told which are used
}

// New returns the run that the flags describe.
func New(f *Flags) *Benchmark {
	return &Benchmark{Flags: f, began: time.Now(), variables: f.Variables, progress: f.Installing(f.quiet)}
}

// Run measures the model, reports, and keeps the record. It returns the exit status.
func (b *Benchmark) Run(ctx context.Context) int {
	defer cli.OutliveReaders()() // the record is written at the end
	b.begin()
	err := b.carryOut(ctx)
	b.progress.Line.Clear()
	return b.finish(ctx, err)
}

// cache returns zonemark's cache, which the variables that the user sets may name.
func (b *Benchmark) cache() cachedir.Cache { return cachedir.Of(b.variables) }

// begin fills the fields that every record has.
func (b *Benchmark) begin() {
	r := &b.record
	r.Args = b.Options
	r.MachineName, _ = os.Hostname() // empty if there is none
	r.Hash, r.Date = revision(), b.began.Format("06-01-02")
	r.Zonemark = bench.Details{
		Version: cli.Version(), Started: b.began.UTC().Truncate(time.Millisecond), Command: os.Args,
		Definition:  bench.Definition + "; " + bench.SteadyDefinition,
		Environment: platform.Environment(),
	}
}

// revision returns the beginning of the hash of the revision that this binary was built from; "" if it is not known.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 7 {
				return s.Value[:7]
			}
		}
	}
	return ""
}

// notOKError reports that an invocation did not end ok.
type notOKError struct{ err error }

func (e *notOKError) Error() string { return e.err.Error() }
func (e *notOKError) Unwrap() error { return e.err }

// carryOut does all steps until the record is complete.
func (b *Benchmark) carryOut(ctx context.Context) error {
	if err := b.Options.Check(); err != nil {
		return err
	}
	if b.Options.Model == "" {
		return &bench.Error{Kind: "flag", Text: "no model is named; -m names one, and --list shows all"}
	}
	if b.cpu >= 0 {
		if err := platform.CheckPin(b.cpu); err != nil {
			return &bench.Error{Kind: "flag", Text: "--cpu: " + err.Error()}
		}
	}
	variables, err := b.Options.Variables()
	if err != nil {
		return err
	}
	b.variables = b.variables.With(variables...)
	if err := b.checkModel(ctx, variables); err != nil {
		return err
	}
	scratch, err := b.cache().Scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	folders := runtimes.Folders{Scratch: scratch, Cache: b.cache().Folder}
	var take func() error
	if b.variables, take, err = b.Runtimes.Keep(folders, b.variables, tt.Name); err != nil {
		return err
	}
	defer func() {
		if err := take(); err != nil {
			b.Say("warning: %v", err)
		}
	}()
	device, err := b.findDevice(ctx, scratch)
	if err != nil {
		return err
	}
	choices, err := b.Options.Settle(device)
	b.record.Args = b.Options
	b.record.SetDevice(device)
	for flag, why := range choices.NotApplied {
		b.record.NotApplied(flag, why)
	}
	if err != nil {
		return err
	}
	export, err := b.export(ctx, choices, variables)
	if err != nil {
		return err
	}
	b.record.SetModel(export)
	b.sayNotApplied()
	return b.measureModules(ctx, export, choices, scratch)
}

// sayNotApplied names the flags that the user gave and that have no effect.
func (b *Benchmark) sayNotApplied() {
	notApplied := b.record.Zonemark.NotApplied
	for _, flag := range b.Options.Asked(notApplied) {
		b.Say("not applied: %s: %s", flag, report.Printable(notApplied[flag]))
	}
}

// finish keeps the record, reports and returns the exit status.
func (b *Benchmark) finish(ctx context.Context, err error) int {
	status := cli.ExitOK
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		b.record.Fail(err)
		var notOK *notOKError
		if status = cli.ExitError; errors.As(err, &notOK) && ctx.Err() == nil {
			status = cli.ExitNotOK
		}
	}
	keeping := b.keep(context.WithoutCancel(ctx))
	if reporting := b.report(err); reporting != nil && !cli.ReaderGone(reporting) {
		status = b.Fail("write the report: %v", reporting)
	}
	if err != nil {
		b.Fail("%v", err)
	}
	if keeping != nil {
		return b.Fail("%v", keeping)
	}
	return status
}

// report writes the report. If the benchmark failed before anything was measured, it writes only a record.
func (b *Benchmark) report(failure error) error {
	if b.format == formatRecord {
		text, err := json.MarshalIndent(b.record, "", " ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(b.Out, "%s\n", text)
		return err
	}
	if len(b.results) == 0 {
		return nil
	}
	format, err := b.Formats.Lookup(b.format)
	if err != nil {
		return err
	}
	run := report.Run{
		Build: cli.Version(), Started: b.began, Command: os.Args, Environment: b.record.Zonemark.Environment,
		Records: invocations.RecordsOf(b.results...), Complete: failure == nil, Width: cli.TerminalWidth(b.Out),
		Colours: cli.Colours(b.Out, b.Variables.Lookup),
	}
	if format.Name == "text" {
		writeHeading(b.Out, &b.record)
	}
	if err := format.Write(b.Out, run); err != nil || format.Name != "text" {
		return err
	}
	return writeBenchmark(b.Out, &b.record, run.Width)
}

// keep appends the record to the file that was named.
func (b *Benchmark) keep(ctx context.Context) error {
	o := &b.Options
	if o.Output == "" || o.DisableOutput == 1 {
		return nil
	}
	written, problem, err := bench.Append(ctx, o.Output, b.record)
	if err != nil {
		return err
	}
	if problem != nil {
		b.Say("zonemark: WARNING: %v; the file is left as it is, and the record is in %s", problem, written)
		return nil
	}
	if !b.quiet {
		b.Say("the record is in %s", written)
	}
	return nil
}
