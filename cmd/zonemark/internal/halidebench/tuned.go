package halidebench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/tuning"
	"zonemark/driver/halide"
	"zonemark/driver/tune"
	runtime "zonemark/executor/halide"
)

// tunedBy returns the options with which the generator of a benchmark is scheduled as tuning has found best: the best
// measured schedule of the folder of a tuning or, without one, the weights that the folder or --weights has. It returns
// nil if there are none.
func (r *run) tunedBy(source, generator string) (map[string]string, error) {
	if path := r.Options()[runtime.OptionWeights]; path != "" && r.tuneNS == 0 {
		return r.tunedOptions(r.parameters(adams), path), nil
	}
	folder := r.tuned
	if r.emulated() {
		return nil, nil // what was tuned is for a machine that has times
	}
	if _, err := os.Stat(folder); err != nil {
		if r.Set.Changed(tunedFlag) {
			return nil, fmt.Errorf("--%s: %w; name the folder of \"zonemark halide pretrain\"", tunedFlag, err)
		}
		return nil, nil
	}
	best, err := tune.ReadBest(folder, generator)
	switch {
	case err == nil && !sameTarget(r.Options()[runtime.OptionTarget], best.Target):
		return nil, nil // it would be shown as a schedule for the target that was asked for
	case err == nil && r.describes(best.Pipeline, source):
		options := r.tunedOptions(words(best.SchedulerParams), best.File(tune.Weights))
		if best.Target != "" {
			options[runtime.OptionTarget] = best.Target
		}
		return options, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	weights, err := tune.WeightsOf(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r.tunedOptions(r.parameters(adams), weights), err
}

// sameTarget reports whether a target that was asked for is that of a tuning, which is written in full. An empty one is
// that of a tuning, and "host" stands for what is not written beside it.
func sameTarget(asked, full string) bool {
	if asked == "" || full == "" {
		return asked == full || asked == "" || asked == "host"
	}
	words, has := strings.Split(asked, "-"), strings.Split(full, "-")
	host := words[0] == "host"
	if host {
		words = words[1:]
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(has, word) }) &&
		(host || !slices.ContainsFunc(has, func(word string) bool { return !slices.Contains(words, word) }))
}

// describes reports whether a pipeline of a tuning is that of a generator's file, with the parameters that are given
// here.
func (r *run) describes(p tune.Pipeline, source string) bool {
	given, err := runtime.Assignments(runtime.OptionGeneratorParams, r.Options()[runtime.OptionGeneratorParams])
	return err == nil && maps.Equal(given, p.Parameters) && p.Source == source
}

// tunedOptions returns the options of a generator that is scheduled with parameters and weights.
func (r *run) tunedOptions(parameters, weights string) map[string]string {
	return map[string]string{
		runtime.OptionScheduler: adams, runtime.OptionSchedulerParams: parameters, runtime.OptionWeights: weights,
	}
}

// words returns parameters as NAME=VALUE words, in the order of their names.
func words(parameters map[string]string) string {
	var list []string
	for name, value := range parameters {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// tuneFirst tunes the benchmarks for the time of --tune, in the folder of --tuned. What it tells are messages: the
// report is that of the comparison.
func (f *flags) tuneFirst(ctx context.Context) error {
	p := f.Program
	p.Out = p.Err
	names := f.benchmarks
	if f.all {
		for _, b := range halide.Benchmarks() {
			names = append(names, b.Name)
		}
	}
	_, err := tuning.Tune(ctx, measuring.NewTask(p, f.tuneSettings()), f.tuneOptions(), names)
	return err
}

// tuneOptions returns what is tuned: for the time of --tune, with the search that is measured.
func (f *flags) tuneOptions() tuning.Options {
	o := tuning.DefaultOptions()
	o.Folder, o.TimeLimitNS, o.Batches = f.tuned, f.tuneNS, 0
	o.Weights = f.ArtifactOptions[runtime.OptionWeights]
	if f.beam > 0 {
		o.Beam = f.beam
	}
	if f.parallelism > 0 {
		o.Parallelism = f.parallelism
	}
	return o
}

// tuneSettings returns how samples are measured: as the user has the benchmarks measured, but for the times that samples
// have.
func (f *flags) tuneSettings() measuring.Settings {
	s := tuning.DefaultSettings()
	s.Python, s.Sandbox, s.Quiet, s.Verbose = f.Python, f.Sandbox, f.Quiet, f.Verbose
	s.Base.Measure.CPU, s.Base.Measure.Seed = f.Base.Measure.CPU, f.Base.Measure.Seed
	s.Base.Limits.MemoryBytes = f.Base.Limits.MemoryBytes
	if f.Given["timeout"] {
		s.Base.Limits.TimeoutNS, s.Base.Limits.BuildNS = f.Base.Limits.TimeoutNS, f.Base.Limits.BuildNS
	}
	s.ArtifactOptions = map[string]string{}
	for _, name := range []string{
		runtime.OptionTarget, runtime.OptionGenerator, runtime.OptionGeneratorParams, runtime.OptionWeights,
	} {
		if value, given := f.ArtifactOptions[name]; given {
			s.ArtifactOptions[name] = value
		}
	}
	return s
}
