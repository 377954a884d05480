package tuning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/tune"
	"zonemark/executor/halide"
	"zonemark/executor/halide/generator"
	"zonemark/invocations"
)

const (
	scheduler        = "adams2019"
	weightsParameter = "weights_path"
)

// firstTimeout is the least time that is given to the untuned schedule, with which compilers of generators run and
// Halide's runtime is made.
const firstTimeout = 10 * time.Minute

var (
	errTimeLimit = errors.New("the time limit is over") // the cause of the end of a context by --time-limit
	errTooSlow   = errors.New("the generator takes longer than --build-timeout allows")
)

// lean are the files of a sample: no runtime, no header, no registration.
var lean = generator.Outputs{Object: true, Schedule: true, Featurization: true}

// order says how a schedule is made.
type order struct {
	name     string // of its files and of its function
	function string
	pipeline *pipeline
	params   map[string]string // of the scheduler, without weights
	weights  string            // path of them
	hash     string            // of them
	limit    time.Duration     // of the time that it may take
}

// describe returns what is made, as far as the order tells.
func (t *tuner) describe(o order) tune.Made {
	return tune.Made{
		Name: o.name, Function: o.function, Pipeline: o.pipeline.Pipeline, Halide: t.tools.Version, Scheduler: scheduler,
		SchedulerParams: o.params, WeightsSHA256: o.hash, Target: t.given[halide.OptionTarget], Status: invocations.OK,
	}
}

// make makes a schedule and links it. It returns the paths of its files by their endings; they lie in the cache of the
// tuning. The error of a generator that takes too long is errTooSlow.
func (t *tuner) make(ctx context.Context, o order) (m tune.Made, made map[string]string, err error) {
	m = t.describe(o)
	within, stop := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("%w, %v", errTooSlow, o.limit))
	defer stop()
	params := maps.Clone(o.params)
	params[weightsParameter] = o.weights
	out, err := t.tools.Build(within, generator.Request{
		Source: o.pipeline.source, Generators: []string{o.pipeline.Name}, Function: o.function, Target: m.Target,
		Scheduler: scheduler, SchedulerParams: params, GeneratorParams: o.pipeline.Parameters, Outputs: lean,
	}, t.folder.Cache())
	if err != nil {
		return m, nil, cli.WithRemedies(err)
	}
	m.Target = out.Target
	p := out.Pipelines[0]
	library, err := t.tools.Link(within, []string{p.Object}, out.Target, t.folder.Cache())
	if err != nil {
		return m, nil, err
	}
	return m, map[string]string{
		tune.Object: p.Object, tune.Library: library, tune.Schedule: p.Schedule, tune.Featurization: p.Featurization,
	}, nil
}

// forget removes files from the cache of the tuning, with their folders.
func forget(made map[string]string) error {
	var errs []error
	for _, path := range made {
		errs = append(errs, os.RemoveAll(filepath.Dir(path)))
	}
	return errors.Join(errs...)
}

// makeUntuned makes the untuned schedule of a pipeline, or finds it in the cache of the tuning, and sets what it is.
// The function that keeps its files is to be called when it is clear that they belong into the folder.
func (t *tuner) makeUntuned(ctx context.Context, p *pipeline, weights, hash string) (keep func() error, err error) {
	m, made, err := t.make(ctx, order{
		name: tune.UntunedName(p.Name), function: p.Name, pipeline: p, weights: weights, hash: hash,
		params: tune.UntunedParams(int(t.Parallelism), int(t.Beam)),
		limit:  max(firstTimeout, time.Duration(t.BuildTimeoutNS)),
	})
	if err != nil {
		return nil, err
	}
	p.Fingerprint = filepath.Base(filepath.Dir(made[tune.Object])) // the name says all that it is made of
	t.target, m.Pipeline = m.Target, p.Pipeline
	return func() (err error) {
		p.untuned, err = t.folder.KeepUntuned(m, made)
		return err
	}, nil
}

// makeSamples makes the samples that are not there yet, as many at a time as there are CPUs, and returns all in the
// order of the list. One that fails says so. The time limit ends it early: what is missing then has no name.
func (t *tuner) makeSamples(ctx context.Context, b *batchWork, list []tune.Sample) ([]tune.Made, error) {
	all := make([]tune.Made, len(list))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, s := range list {
		if m, err := b.Read(s); err == nil && (m.Status != invocations.OK || m.HasLibrary()) {
			all[i] = m
			continue
		}
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		t.progress("%s: making %s", t.batchText(b.Batch), s.Name())
		wait.Go(func() {
			defer func() { <-free }()
			m, err := t.makeSample(ctx, b, s)
			if err != nil {
				stop(err)
			}
			all[i] = m
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errTimeLimit) {
		return nil, err
	}
	return all, nil
}

// makeSample makes one sample. A generator that fails or takes too long is no error: the sample says so.
func (t *tuner) makeSample(ctx context.Context, b *batchWork, s tune.Sample) (tune.Made, error) {
	m, made, err := t.make(ctx, order{
		name: s.Name(), function: s.Name(), pipeline: t.byName[s.Pipeline], weights: b.UsedWeights(), hash: b.weights,
		params: s.SchedulerParams(int(t.Parallelism), int(t.Beam)), limit: time.Duration(t.BuildTimeoutNS),
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return tune.Made{}, context.Cause(ctx)
	case errors.Is(err, errTooSlow):
		m.Status, m.Error = invocations.Timeout, err.Error()
	case err != nil:
		m.Status, m.Error = invocations.Failed, err.Error()
	}
	kept := maps.Clone(made)
	delete(kept, tune.Object) // the library holds it
	if m, err = b.Keep(m, kept); err != nil {
		return m, err
	}
	return m, forget(made)
}
