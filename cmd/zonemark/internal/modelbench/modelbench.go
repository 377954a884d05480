// Package modelbench measures models end to end on a PJRT device, for the verb bench. It lets them be exported,
// measures their modules, and keeps the record. Package bench knows models, exporters and records.
package modelbench

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"time"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/modelexports"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/invocations/environ"
)

// Benchmark is one run of the verb bench: its flags, and the runtimes that it measures on.
type Benchmark struct {
	*Flags
	targets     []*target       // each runtime on each host, a runtime's hosts in their order
	hosts       *remoting.Hosts // that measure; nil: this machine does
	run         report.Run      // of the modules; without records before they are measured
	began       time.Time
	environment map[string]string // fingerprint of the machine, or of all hosts
	variables   environ.Variables // of the exporter and of executors: set by the user, or of found components
	given       []string          // NAME=VALUE of those that the flags set
	progress    *program.Installing
	exporting   *modelexports.Maker
	provided    bool // plugins were found, and the user was told which are used
}

// Run shows the models or measures one, and returns the exit status.
func (f *Flags) Run(ctx context.Context) int {
	if f.Options.List {
		return New(f).List(ctx)
	}
	return New(f).Run(ctx)
}

// New returns the run that the flags describe.
func New(f *Flags) *Benchmark {
	return &Benchmark{
		Flags: f, began: time.Now(), environment: platform.Environment(), variables: f.Variables,
		progress: f.Installing(f.Quiet),
	}
}

// Run measures the model, reports, and keeps the records. It returns the exit status.
func (b *Benchmark) Run(ctx context.Context) int {
	defer cli.OutliveReaders()() // the record is written at the end
	for _, backend := range b.backends {
		for host := range b.hostCount() {
			b.targets = append(b.targets, b.newTarget(backend, host))
		}
	}
	err := b.carryOut(ctx)
	if b.hosts != nil {
		b.hosts.Close()
	}
	b.progress.Line.Clear()
	return b.finish(ctx, err)
}

// cache returns zonemark's cache, which the variables that the user sets may name.
func (b *Benchmark) cache() cachedir.Cache { return cachedir.Of(b.variables) }

// newTarget returns a runtime on a host with the fields that every record has. connect adds those of the host.
func (b *Benchmark) newTarget(backend backend, host int) *target {
	t := &target{Benchmark: b, backend: backend, host: host, options: b.optionsFor(backend)}
	r := &t.record
	r.Args = t.options
	r.Hash, r.Date = revision(), b.began.Format("06-01-02")
	r.Zonemark = bench.Details{
		Version: cli.Version(), Runtime: backend.name, Started: b.began.UTC().Truncate(time.Millisecond), Command: os.Args,
	}
	if len(b.Via) == 0 {
		r.MachineName, _ = os.Hostname() // empty if there is none
		r.Zonemark.Environment = b.environment
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
	if err := b.check(ctx); err != nil {
		return err
	}
	b.exporting = b.maker()
	if err := b.exporting.CheckName(ctx, b.Options.Model); err != nil {
		return err
	}
	if err := b.connect(ctx); err != nil {
		return err
	}
	return b.exportAndMeasure(ctx)
}

// check checks the flags, and adds the variables that they set.
func (b *Benchmark) check(ctx context.Context) error {
	for _, t := range b.targets {
		if err := t.options.Check(); err != nil {
			return err
		}
	}
	if b.Options.Model == "" {
		return &bench.Error{Text: "no model is named; -m names one, and --list shows all"}
	}
	if b.Base.Measure.CPU >= 0 && len(b.Via) == 0 { // of hosts, the executors tell
		if err := platform.CheckPin(b.Base.Measure.CPU); err != nil {
			return &bench.Error{Text: "--cpu: " + err.Error()}
		}
	}
	return cmp.Or(b.setVariables(), ctx.Err())
}

// setVariables adds the variables that the flags set.
func (b *Benchmark) setVariables() (err error) {
	b.given, err = b.Options.Variables()
	b.variables, b.VariableNames = b.variables.With(b.given...), environ.Names(b.given)
	return err
}

// exportAndMeasure finds the devices, exports the model, and measures it on all runtimes that can run it.
func (b *Benchmark) exportAndMeasure(ctx context.Context) error {
	var usable []*target
	for _, leader := range b.onHost(0) {
		hosts := leader.byRuntime()
		failed := leader.settle(ctx, hosts)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failed == nil {
			usable = append(usable, hosts...)
		}
		for _, t := range hosts {
			t.fail(failed)
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
	return b.measureModules(ctx, export, usable)
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

// maker returns what makes exports.
func (b *Benchmark) maker() *modelexports.Maker {
	return &modelexports.Maker{
		Progress: b.progress, Variables: b.variables, Set: b.given, Python: b.python, Models: b.Options.Models,
		Timeout: time.Duration(b.exportTimeout), Verbose: b.Verbose, Confine: b.Hosting(b.variables, "").Exporting(),
	}
}
