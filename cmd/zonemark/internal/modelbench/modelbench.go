// Package modelbench measures models end to end on a PJRT device, for the verb bench. It lets them be exported,
// measures their modules, and keeps the record. Package bench knows models, exporters and records.
package modelbench

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/modelexports"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/bench"
	"zonemark/driver/environ"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// Benchmark is one run of the verb bench: its flags, and the runtimes that it measures on.
type Benchmark struct {
	*Flags
	targets     []*target
	results     []invocations.Record // of the modules
	began       time.Time
	environment map[string]string // fingerprint of the machine
	variables   environ.Variables // of the exporter and of executors: set by the user, or of found components
	progress    *program.Installing
	exporting   *modelexports.Maker
	provided    bool // plugins were found, and the user was told which are used
}

// New returns the run that the flags describe.
func New(f *Flags) *Benchmark {
	return &Benchmark{
		Flags: f, began: time.Now(), environment: platform.Environment(), variables: f.Variables,
		progress: f.Installing(f.quiet),
	}
}

// Run measures the model, reports, and keeps the records. It returns the exit status.
func (b *Benchmark) Run(ctx context.Context) int {
	defer cli.OutliveReaders()() // the record is written at the end
	for _, backend := range b.backends {
		b.targets = append(b.targets, b.newTarget(backend))
	}
	err := b.carryOut(ctx)
	b.progress.Line.Clear()
	return b.finish(ctx, err)
}

// cache returns zonemark's cache, which the variables that the user sets may name.
func (b *Benchmark) cache() cachedir.Cache { return cachedir.Of(b.variables) }

// newTarget returns a runtime with the fields that every record has.
func (b *Benchmark) newTarget(backend backend) *target {
	t := &target{Benchmark: b, backend: backend, options: b.optionsFor(backend)}
	r := &t.record
	r.Args = t.options
	r.MachineName, _ = os.Hostname() // empty if there is none
	r.Hash, r.Date = revision(), b.began.Format("06-01-02")
	r.Zonemark = bench.Details{
		Version: cli.Version(), Runtime: backend.name, Started: b.began.UTC().Truncate(time.Millisecond), Command: os.Args,
		Environment: b.environment,
	}
	return t
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

// carryOut does all steps until the records are complete. A failure of one of several runtimes is in its target.
func (b *Benchmark) carryOut(ctx context.Context) error {
	definition := bench.Definition
	if !b.transfers() {
		definition = bench.OnDeviceDefinition
	}
	for _, t := range b.targets {
		t.record.Zonemark.Definition = definition + "; " + bench.SteadyDefinition
	}
	variables, err := b.check(ctx)
	if err != nil {
		return err
	}
	b.exporting = b.maker(variables)
	if err := b.exporting.CheckName(ctx, b.Options.Model); err != nil {
		return err
	}
	scratch, err := b.cache().Scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	folders := runtimes.Folders{Scratch: scratch, Cache: b.cache().Folder}
	var take func() error
	if b.variables, take, err = b.Runtimes.Keep(folders, b.variables, b.runtimeNames()...); err != nil {
		return err
	}
	defer func() {
		if err := take(); err != nil {
			b.Say("warning: %v", err)
		}
	}()
	return b.exportAndMeasure(ctx, scratch)
}

// check checks the flags, and adds the variables that they set. It returns those.
func (b *Benchmark) check(ctx context.Context) (variables []string, err error) {
	for _, t := range b.targets {
		if err := t.options.Check(); err != nil {
			return nil, err
		}
	}
	if b.Options.Model == "" {
		return nil, &bench.Error{Kind: "flag", Text: "no model is named; -m names one, and --list shows all"}
	}
	if b.cpu >= 0 {
		if err := platform.CheckPin(b.cpu); err != nil {
			return nil, &bench.Error{Kind: "flag", Text: "--cpu: " + err.Error()}
		}
	}
	if variables, err = b.Options.Variables(); err != nil {
		return nil, err
	}
	b.variables = b.variables.With(variables...)
	return variables, ctx.Err()
}

// runtimeNames returns the names of the runtimes that are measured.
func (b *Benchmark) runtimeNames() (names []string) {
	for _, t := range b.targets {
		names = append(names, t.backend.name)
	}
	return names
}

// exportAndMeasure finds the devices, exports the model, and measures it on all runtimes that can run it.
func (b *Benchmark) exportAndMeasure(ctx context.Context, scratch string) error {
	var usable []*target
	for _, t := range b.targets {
		if t.fail(t.settle(ctx, scratch)); ctx.Err() != nil {
			return ctx.Err()
		}
		if t.failure == nil {
			usable = append(usable, t)
		}
	}
	if len(usable) == 0 {
		return nil
	}
	if err := checkAlike(usable); err != nil {
		return err
	}
	export, err := b.exporting.Export(ctx, b.request(usable[0].choices))
	if err != nil {
		return err
	}
	for _, t := range usable {
		t.record.SetModel(export)
		t.sayNotApplied()
	}
	return b.measureModules(ctx, export, usable, scratch)
}

// request returns the request of the flags to the exporter.
func (b *Benchmark) request(c bench.Choices) bench.Request {
	o := &b.Options
	return bench.Request{
		Model: o.Model, Config: o.Config, Training: o.Training, Generative: o.Generative, Layers: o.Layers,
		Microbatch: o.Microbatch,
		DType:      c.DType, EmulatedFormat: c.EmulatedFormat, Seed: o.Seed,
	}
}

// maker returns what makes exports. variables are those that the user sets.
func (b *Benchmark) maker(variables []string) *modelexports.Maker {
	return &modelexports.Maker{
		Progress: b.progress, Variables: b.variables, Set: variables, Python: b.python, Models: b.Options.Models,
		Timeout: time.Duration(b.exportTimeout), Verbose: b.verbose,
	}
}

// finish keeps the records, reports and returns the exit status. The error is one of all runtimes.
func (b *Benchmark) finish(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	for _, t := range b.targets {
		if t.fail(err); t.failure != nil {
			t.record.Fail(t.failure)
		}
	}
	beside := bench.Compare(b.records())
	for _, t := range b.targets {
		t.record.Zonemark.Beside = beside
	}
	keeping := b.keep(context.WithoutCancel(ctx))
	status := cli.ExitOK
	if reporting := b.report(); reporting != nil && !cli.ReaderGone(reporting) {
		status = b.Fail("write the report: %v", reporting)
	}
	for _, t := range b.targets {
		switch status = max(status, t.status(ctx)); {
		case t.failure == nil, t.failure == err: // what concerns all is said once
		case b.several():
			b.Fail("%s: %v", t.backend.name, t.failure)
		default:
			b.Fail("%v", t.failure)
		}
	}
	if err != nil {
		b.Fail("%v", err)
	}
	if keeping != nil {
		return b.Fail("%v", keeping)
	}
	return status
}

// keep appends the records to the file that was named.
func (b *Benchmark) keep(ctx context.Context) error {
	if b.Options.Output == "" || b.Options.DisableOutput == 1 {
		return nil
	}
	for _, t := range b.targets {
		if err := t.keep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keep appends the record to the file that was named.
func (t *target) keep(ctx context.Context) error {
	written, problem, err := bench.Append(ctx, t.options.Output, t.record)
	if err != nil {
		return err
	}
	if problem != nil {
		t.Say("zonemark: WARNING: %v; the file is left as it is, and the record is in %s", problem, written)
		return nil
	}
	if !t.quiet {
		t.say("the record is in %s", written)
	}
	return nil
}
