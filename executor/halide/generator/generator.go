// Package generator builds Halide generators, which are C++ or Python sources, into objects and shared libraries that
// hold pipelines. It starts compilers and the generators themselves, never loads what they made, and keeps results in a
// cache. It knows nothing of arguments, calls and times: those are the runtime's.
//
// Schedules. A generator may have a schedule of its own, which by Halide's convention it leaves out if
// using_autoscheduler() is true. The scheduler "manual" runs a generator as it is. The scheduler "none" makes
// using_autoscheduler() true but schedules nothing, so that every Func has Halide's default schedule. An autoscheduler
// makes the schedule from the estimates of the generator.
package generator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"zonemark/invocations/remedy"
)

// Outputs say which files of a pipeline are asked for.
type Outputs struct {
	// Library is one shared library that holds all pipelines and Halide's runtime. It asks for the objects, too, and for
	// the schedules of an autoscheduler.
	Library       bool
	Object        bool // machine code without Halide's runtime
	Schedule      bool // the autoscheduler's schedule as C++ source
	Featurization bool // what Adams2019's cost model sees of the schedule
	Statements    bool // Halide's statements, as text
	Assembly      bool // for the target, as text
}

// Request is what to build.
type Request struct {
	Source string // FILE.cpp, FILE.cc, FILE.cxx or FILE.py
	// Further are paths of what the source needs beside it: C++ sources of the generator, C and C++ sources of functions
	// that its pipelines call, objects and archives. Flags are those of the compilers: -IFOLDER, -DNAME, -LFOLDER, -lNAME.
	Further, Flags []string
	// Generators are the names of generators of the source; empty: all of them.
	Generators []string
	// Function is the name of the pipeline's function, for a single generator; empty: the generator's name. Pipelines
	// of one library need different ones.
	Function string
	// Target is Halide's text for the machine, operating system and features; empty or "host": this machine.
	// "host-FEATURE" adds features to this machine's.
	Target string
	// Profile builds for Halide's profiler, which times each Func, as the target feature profile does. A library is built
	// without it, too, and a schedule of an autoscheduler that differs from the one there is an error.
	Profile bool
	// Scheduler is one of Schedulers; empty: "manual".
	Scheduler string
	// SchedulerParams are those of Parameters(Scheduler). If an autoscheduler has "parallelism" and it is not here, it
	// is the number of CPUs that this process may use.
	SchedulerParams map[string]string
	GeneratorParams map[string]string // of the generators; each gets those that it has
	Outputs         Outputs
}

// Output is what Build made. Files lie in the cache and do not change.
type Output struct {
	Library         string            // path of the shared library; empty if it was not asked for
	Target          string            // in full, without the feature no_runtime
	Scheduler       string            // never empty
	SchedulerParams map[string]string // with those that Build added
	Pipelines       []Pipeline        // in the order of the request, else of the source
}

// Pipeline is what was made of one generator. A path is empty if the file was not asked for.
type Pipeline struct {
	Generator     string // name of the generator
	Function      string // name of the function
	Object        string
	Schedule      string
	Featurization string
	Statements    string
	Assembly      string
}

// Generator is one generator of a source.
type Generator struct {
	Name string
	// Parameters are in the order of the source. They are nil for a C++ generator, of which only errors tell them.
	Parameters []Parameter
}

// Parameter is a parameter of a generator.
type Parameter struct {
	Name    string `json:"name"`
	Default string `json:"default"` // as text
}

// IsSource reports whether a file's name is that of a generator's source.
func IsSource(path string) bool { return isPython(path) || isCPlusPlus(path) }

func isPython(path string) bool { return strings.EqualFold(filepath.Ext(path), ".py") }

func isCPlusPlus(path string) bool {
	return slices.Contains([]string{".cpp", ".cc", ".cxx"}, strings.ToLower(filepath.Ext(path)))
}

// Generators returns the generators of a source. A C++ source is compiled first, below cache.
func (t Toolchain) Generators(ctx context.Context, source, cache string) ([]Generator, error) {
	p, err := t.open(ctx, Request{Source: source}, cache)
	if err != nil {
		return nil, err
	}
	return p.list(ctx)
}

// Build makes what a request asks for, below cache, or finds it there. A result is named after the hash of all that it
// is made of: the source and the files of its folder that it includes or imports, all parameters, the contents of a
// file of weights, the target, and the releases of Halide and of the compiler. It appears at once and complete, so
// builds may run side by side. Files that a generator opens itself are not seen: a change of theirs does not count.
//
// If the context ends, the programs that Build started end, too.
//
// The error of a source that lacks something has the remedy remedy.Options, if what it lacks is found near it or is a
// choice of which there are examples.
func (t Toolchain) Build(ctx context.Context, r Request, cache string) (Output, error) {
	out, err := t.build(ctx, r, cache)
	var missing *lack
	if errors.As(err, &missing) {
		err = t.completed(ctx, r, cache, err)
	}
	return out, err
}

func (t Toolchain) build(ctx context.Context, r Request, cache string) (Output, error) {
	if r.Outputs == (Outputs{}) {
		return Output{}, fmt.Errorf("%s: no output is asked for", r.Source)
	}
	plan, err := t.plan(r)
	if err != nil {
		return Output{}, fmt.Errorf("%s: %w", r.Source, err)
	}
	p, err := t.open(ctx, r, cache)
	if err != nil {
		return Output{}, err
	}
	p.weights = plan.params[weightsParameter]
	names := r.Generators
	if len(names) == 0 {
		if names, err = p.names(ctx); err != nil {
			return Output{}, err
		}
	}
	if r.Function != "" && len(names) > 1 {
		return Output{}, fmt.Errorf("%s: the function's name %q cannot be that of %d generators (%s); name one of them",
			r.Source, r.Function, len(names), strings.Join(names, ", "))
	}
	out := Output{
		Target:          plan.target,
		Scheduler:       plan.scheduler.name,
		SchedulerParams: plan.params,
		Pipelines:       make([]Pipeline, len(names)),
	}
	plans, err := p.plansFor(ctx, plan, names)
	if err != nil {
		return Output{}, err
	}
	err = each(ctx, len(names), func(ctx context.Context, i int) (err error) {
		out.Pipelines[i], err = p.build(ctx, plans[i], names[i])
		if err != nil && len(names) > 1 && len(r.Generators) == 0 {
			err = remedy.With(err, remedy.Remedy{Kind: remedy.Say, Name: "generator",
				Value: "which ones to build; it has " + strings.Join(names, ", ")})
		}
		return err
	})
	if err != nil || !r.Outputs.Library {
		return out, err
	}
	if plan.scheduler.halide != "" && slices.Contains(strings.Split(plan.target, "-"), profileFeature) {
		if err := t.sameSchedules(ctx, r, out, cache); err != nil {
			return Output{}, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	objects, err := p.compileFunctions(ctx)
	if err != nil {
		return Output{}, fmt.Errorf("%s: %w", r.Source, err)
	}
	for i, made := range out.Pipelines {
		objects = slices.Insert(objects, i, made.Object)
	}
	if out.Library, err = t.Link(ctx, objects, plan.target, cache, p.flags.Link...); err != nil {
		return Output{}, fmt.Errorf("%s: %w", r.Source, err)
	}
	return out, nil
}

// each calls f for 0 to n-1, as many at a time as there are CPUs. The first failure ends the others and is returned.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i := range n {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			if err := f(ctx, i); err != nil {
				stop(err) // only the first counts
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// plan is a request that was checked, with its defaults filled in.
type plan struct {
	Request
	target    string // resolved; without no_runtime
	scheduler scheduler
	params    map[string]string
	weights   string // hash of the file of weights; empty if there is none
}

// plansFor returns the plan of each generator: of the parameters, it has those that the generator has. It returns an
// error for a parameter that none has. A single generator says itself what it lacks.
func (o *opened) plansFor(ctx context.Context, p *plan, names []string) (list []*plan, err error) {
	unused := maps.Clone(p.GeneratorParams)
	for _, name := range names {
		if len(names) == 1 || len(p.GeneratorParams) == 0 {
			list = append(list, p)
			continue
		}
		known, ofPorts, err := o.parameters(ctx, name)
		if err != nil {
			return nil, err
		}
		own := *p
		own.GeneratorParams = map[string]string{}
		for parameter, value := range p.GeneratorParams {
			if slices.Contains(known, parameter) || slices.Contains(ofPorts, parameter) {
				own.GeneratorParams[parameter] = value
				delete(unused, parameter)
			}
		}
		list = append(list, &own)
	}
	if len(names) > 1 && len(unused) > 0 {
		return nil, fmt.Errorf("%s: none of its generators (%s) has a parameter %s", o.path, strings.Join(names, ", "),
			strings.Join(slices.Sorted(maps.Keys(unused)), ", "))
	}
	return list, nil
}

func (t Toolchain) plan(r Request) (*plan, error) {
	s, err := schedulerOf(r.Scheduler)
	if err != nil {
		return nil, err
	}
	p := &plan{Request: r, scheduler: s, target: t.resolve(r.Target, r.Profile)}
	if p.params, err = s.complete(r.SchedulerParams); err != nil {
		return nil, err
	}
	if path := p.params[weightsParameter]; path != "" {
		if p.weights, err = checkWeights(path, s.shapes); err != nil {
			return nil, fmt.Errorf("scheduler %s: %s: %w", s.name, weightsParameter, err)
		}
		if p.params[weightsParameter], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.GeneratorParams)) {
		if name == "target" || name == "autoscheduler" || strings.HasPrefix(name, "autoscheduler.") {
			return nil, fmt.Errorf("generator parameter %s: it is not one of a generator; use the option for it", name)
		}
		if name == "" || strings.ContainsAny(name, "= ") {
			return nil, fmt.Errorf("generator parameter %q: not a name", name)
		}
	}
	if r.Outputs.Featurization && !slices.Contains(s.parameters, weightsParameter) {
		return nil, fmt.Errorf("scheduler %s makes no featurization; only those with a cost model do: choose adams2019 or "+
			"anderson2021", s.name)
	}
	if r.Outputs.Library {
		p.Outputs.Schedule = p.Outputs.Schedule || s.halide != ""
		if err := CheckTarget(p.target, t.Host); err != nil {
			return nil, err
		}
	}
	return p, nil
}
