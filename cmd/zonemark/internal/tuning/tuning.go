// Package tuning is the verb "halide pretrain": it tunes Halide's autoscheduler Adams2019 for pipelines and this
// machine, batch by batch. What a tuning keeps is the business of package tune, building that of package generator,
// measuring that of package measuring, and training that of package adams2019; this package knows flags, the order of
// the work, and progress.
package tuning

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/setup"
	"zonemark/driver/tune"
	"zonemark/executor/halide"
	"zonemark/executor/halide/generator"
	"zonemark/invocations"
)

// tuner is one run of a tuning.
type tuner struct {
	Options
	task      *measuring.Task
	given     map[string]string // options of the runtime
	tools     generator.Toolchain
	folder    *tune.Folder
	target    string // in full
	list      []*pipeline
	byName    map[string]*pipeline
	owners    map[string]string                 // pipelines of samples, by the samples' names
	requests  map[string]invocations.Invocation // what is the same for all schedules of a pipeline
	measuring *measuring.Measurement
	deadline  time.Time // zero: none
	line      *cli.ProgressLine
	drawing   sync.Mutex
	problems  map[string]bool // that were told
}

// Outcome is what came of a tuning.
type Outcome struct {
	Weights string      // file of what was learned; empty if no batch was finished
	Best    []tune.Best // of each pipeline, in their order, without those of which none was measured
	failed  int         // samples without a time
}

// status returns the exit status that the results justify.
func (o Outcome) status() int {
	if o.failed > 0 {
		return cli.ExitNotOK
	}
	return cli.ExitOK
}

// Tune tunes pipelines: benchmarks that zonemark ships, by their names, and generators, by their files. The task says how
// samples are measured, and who is told; the time and launches of each sample are its own. Tune adds what samples are
// compared with to what the sandbox lets them read. It reports on the standard output of the task's program.
func Tune(ctx context.Context, task *measuring.Task, o Options, paths []string) (outcome Outcome, err error) {
	if err := errors.Join(o.Check(), checkOptions(task.ArtifactOptions)); err != nil {
		return outcome, err
	}
	t := &tuner{
		Options: o, task: task, given: task.Options(), line: cli.NewProgressLine(task.Err, task.Quiet),
		byName: map[string]*pipeline{}, owners: map[string]string{}, requests: map[string]invocations.Invocation{},
		problems: map[string]bool{},
	}
	if t.Cores == 0 {
		t.Cores = t.Parallelism
	}
	defer t.line.Clear()
	start, err := t.givenWeights()
	if err == nil {
		err = checkNames(paths)
	}
	if err != nil {
		return outcome, err
	}
	if t.folder, err = tune.Open(o.Folder); err != nil {
		return outcome, err
	}
	defer func() { err = errors.Join(err, t.folder.Close()) }()
	if err := generator.RemoveUnfinished(t.folder.Cache()); err != nil {
		return outcome, err
	}
	if err := t.prepare(ctx, start, paths); err != nil {
		return outcome, err
	}
	if t.TimeLimitNS > 0 {
		t.deadline = time.Now().Add(time.Duration(t.TimeLimitNS))
	}
	return t.carryOut(ctx, outcome)
}

// givenWeights returns the weights of --weights, nil without it. A file that is missing or damaged is an error before
// anything is made.
func (t *tuner) givenWeights() (*adams2019.Weights, error) {
	if t.Options.Weights == "" {
		return nil, nil
	}
	w, err := adams2019.ReadWeights(t.Options.Weights)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", halide.OptionWeights, err)
	}
	return w, nil
}

// prepare finds Halide, makes the untuned schedules, and opens the tuning.
func (t *tuner) prepare(ctx context.Context, start *adams2019.Weights, paths []string) (err error) {
	if err := t.provide(ctx); err != nil {
		return err
	}
	if start == nil {
		if start, err = t.folder.StartWeights(); err != nil {
			return err
		}
	}
	if start == nil {
		if start, err = adams2019.Baseline(t.tools.Plugin(scheduler)); err != nil {
			return err
		}
	}
	weights, err := t.folder.SetStart(start)
	if err != nil {
		return err
	}
	if t.list, err = t.pipelines(ctx, paths); err != nil {
		return err
	}
	settings := tune.Settings{Halide: t.tools.Version, Parallelism: int(t.Parallelism), Beam: int(t.Beam)}
	var keep []func() error
	for _, p := range t.list {
		t.progress("scheduling %s without tuning", p.Name)
		k, err := t.makeUntuned(ctx, p, weights, tune.WeightsHash(start))
		if err != nil {
			return err
		}
		keep = append(keep, k)
		t.byName[p.Name] = p
		settings.Pipelines = append(settings.Pipelines, p.Pipeline)
	}
	settings.Target = t.target
	if err := t.folder.Begin(settings); err != nil {
		return err
	}
	for i, p := range t.list {
		if err := keep[i](); err != nil {
			return err
		}
		// Samples are compared with it, also where it is not measured beside them.
		t.task.SandboxRead = append(t.task.SandboxRead, filepath.Dir(p.untuned.File(tune.Library)))
		t.progress("%s: computing what its outputs must be", p.Name)
		if t.requests[p.Name], err = t.contents(p); err != nil {
			return err
		}
	}
	return nil
}

// provide finds Halide, or installs it.
func (t *tuner) provide(ctx context.Context) error {
	installing := t.task.Installing(t.task.Quiet)
	defer installing.Line.Clear()
	found, err := setup.InstallHalide(ctx, installing.Options(t.task.Python))
	if err != nil {
		return err
	}
	variables := t.task.Variables.With(found.Environment()...)
	t.measuring = measuring.New(t.task, nil)
	t.measuring.Working = t.progress
	if t.tools, err = generator.Find(ctx, variables.Lookup, t.task.Building(variables)); err != nil {
		return cli.WithRemedies(err)
	}
	return cli.WithRemedies(generator.CheckTarget(t.given[halide.OptionTarget], t.tools.Host)) // samples run here
}

// carryOut makes the batches that are missing and compares the best schedules with the untuned ones.
func (t *tuner) carryOut(ctx context.Context, outcome Outcome) (Outcome, error) {
	done := 0
	for n := 1; t.wants(n); n++ {
		b := t.folder.Batch(n)
		report, finished := b.Report()
		if !finished {
			if t.over() {
				break
			}
			var err error
			if report, err = t.batch(ctx, b); err != nil {
				return outcome, err
			}
			if report.Batch == 0 {
				break
			}
		}
		t.line.Clear()
		t.showBatch(report, finished)
		for _, p := range report.Pipelines {
			outcome.failed += p.FailedCount()
		}
		done = n
	}
	if done == 0 {
		return outcome, errors.New("the time limit was over before a sample was measured; give more time")
	}
	outcome.Weights = t.folder.UpdatedWeights()
	var err error
	if outcome.Best, err = t.compare(ctx, done); err != nil {
		return outcome, err
	}
	t.line.Clear()
	if len(outcome.Best) > 0 {
		t.showBest(outcome)
	}
	if t.Plot != "" {
		if err := t.plot(done); err != nil {
			return outcome, fmt.Errorf("--html: %w", err)
		}
	}
	return outcome, nil
}

// wants reports whether a batch is asked for, or is there.
func (t *tuner) wants(n int) bool {
	if _, finished := t.folder.Batch(n).Report(); finished {
		return true
	}
	return n <= tune.MostSamples && (t.Batches == 0 || int64(n) <= t.Batches)
}

// over reports whether the time limit is over.
func (t *tuner) over() bool { return !t.deadline.IsZero() && time.Now().After(t.deadline) }

// withinLimit returns a context that ends when a part of what is left of the time limit is over.
func (t *tuner) withinLimit(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	if t.deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	left := time.Duration(part * float64(time.Until(t.deadline)))
	return context.WithTimeoutCause(ctx, left, errTimeLimit)
}

// progress shows what is being done.
func (t *tuner) progress(format string, args ...any) {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if t.line.Due() {
		t.line.Draw(fmt.Sprintf(format, args...))
	}
}

// note prints a message unless --quiet.
func (t *tuner) note(format string, args ...any) {
	if !t.task.Quiet {
		t.line.Clear()
		t.task.Say(format, args...)
	}
}
