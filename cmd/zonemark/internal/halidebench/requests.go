package halidebench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/halidecases"
	"zonemark/driver/halide"
	"zonemark/driver/report"
	runtime "zonemark/executor/halide"
	"zonemark/executor/halide/generator"
	"zonemark/invocations"
)

// requests makes an invocation for each benchmark and column, and has them built. Those of a benchmark are a group.
func (r *run) requests(ctx context.Context) (list []invocations.Invocation, err error) {
	r.cells, r.columns = map[string]cell{}, slices.Clone(r.schedulers)
	names := r.benchmarks
	if r.all {
		for _, b := range halide.Benchmarks() {
			names = append(names, b.Name)
		}
	}
	for _, name := range names {
		var made []invocations.Invocation
		if isPath(name) {
			made, err = r.generators(ctx, name)
		} else {
			made, err = r.shipped(ctx, name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, made...)
	}
	if err := r.m.Provide(ctx, list); err != nil {
		return nil, err
	}
	if !r.Quiet {
		r.line.Clear()
		r.Say("%s with %s: building what the cache lacks", report.Counted(len(r.rows), "benchmark"),
			report.Counted(len(r.columns), "schedule"))
	}
	return list, r.m.BuildAhead(ctx, list)
}

// shipped returns the invocations of a shipped benchmark, with its inputs and the outputs that its reference has.
func (r *run) shipped(ctx context.Context, name string) ([]invocations.Invocation, error) {
	b, err := halide.Find(name)
	if err != nil {
		return nil, err
	}
	for _, flag := range ownFlags() {
		if r.Set.Changed(flag) {
			return nil, fmt.Errorf("--%s: the shipped benchmark %s has arguments of its own; leave it out, or measure the "+
				"generator with \"zonemark run\"", flag, name)
		}
	}
	base := r.Base
	if base.Artifact.Path, err = halidecases.Source(r.Cache(), b); err != nil {
		return nil, err
	}
	base.Function = b.Name
	r.working("%s: inputs and reference", b.Name)
	if err := halidecases.Complete(r.Cache(), &base, b); err != nil {
		return nil, err
	}
	list, err := r.variants(base, b.Name, b.Source, "")
	return list, errors.Join(err, ctx.Err())
}

// ownFlags are the flags that only generators of users take.
func ownFlags() []string { return []string{"param", "input", "expected-output", "tolerance"} }

// generators returns the invocations of the generators of a file. Their outputs are compared with those of the same
// generator with default schedules.
func (r *run) generators(ctx context.Context, path string) (list []invocations.Invocation, err error) {
	if !runtime.FromGenerator(path) {
		return nil, fmt.Errorf("%s: neither a shipped benchmark nor a source of generators (.py, .cpp); \"zonemark run\" "+
			"measures libraries", path)
	}
	const instead = "a source of generators (.py, .cpp) or a shipped benchmark, which --list shows"
	if err := cli.CheckExists(path, instead); err != nil {
		return nil, err
	}
	base, err := r.Request()
	if err != nil {
		return nil, err
	}
	if base.Artifact.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	plain := base
	plain.Artifact.Options = r.options(generator.None, r.Options()[runtime.OptionGenerator])
	described, library, err := r.m.Examine(ctx, plain)
	if err != nil {
		return nil, err
	}
	for _, d := range described {
		for _, fn := range d.Functions {
			base.Function = fn.Name
			reference := library + ":" + fn.Name
			if r.emulated() {
				reference = "" // the runtime compares with the default schedule by itself
			}
			some, err := r.variants(base, r.rowName(path, fn.Name), filepath.Base(path), reference)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
	}
	return list, nil
}

// rowName returns a name for a generator of a file that no other row has.
func (r *run) rowName(path, function string) string {
	taken := map[string]bool{}
	for _, row := range r.rows {
		taken[row] = true
	}
	if !taken[function] {
		return function
	}
	return path + "/" + function
}

// variants returns an invocation for each scheduler, and one for what tuning has found, if it has. The reference, if
// there is one, is that of all but the default schedule, from which it comes.
func (r *run) variants(base invocations.Invocation, row, source, reference string) (list []invocations.Invocation,
	err error) {
	r.rows = append(r.rows, row)
	add := func(column string, options map[string]string) {
		inv := base
		inv.Name, inv.Group, inv.Artifact.Options = row+"/"+column, row, options
		if column != generator.None {
			inv.Verify.Reference = reference
		}
		r.cells[inv.Name] = cell{row, column}
		list = append(list, inv)
	}
	for _, scheduler := range r.schedulers {
		add(scheduler, r.options(scheduler, base.Function))
	}
	found, err := r.tunedBy(source, base.Function)
	if err != nil || found == nil {
		return list, err
	}
	if !slices.Contains(r.columns, tuned) {
		r.columns = append(r.columns, tuned)
	}
	options := r.options(adams, base.Function)
	maps.Copy(options, found)
	maps.DeleteFunc(options, func(_, value string) bool { return value == "" })
	add(tuned, options)
	return list, nil
}

// options returns the options of a generator for a scheduler. An empty name stands for all generators of the source.
func (r *run) options(scheduler, name string) map[string]string {
	options := r.Options()
	if options == nil {
		options = map[string]string{}
	}
	delete(options, runtime.OptionWeights)
	for key, value := range map[string]string{
		runtime.OptionGenerator: name, runtime.OptionScheduler: scheduler,
		runtime.OptionSchedulerParams: r.parameters(scheduler),
	} {
		if options[key] = value; value == "" {
			delete(options, key)
		}
	}
	return options
}
