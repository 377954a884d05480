package halide

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/halide/generator"
	"zonemark/executor/halide/hexagon"
	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
	"zonemark/invocations/building"
)

// Emulated reports whether an artifact is the source of a generator that is built for Hexagon, which is emulated.
func Emulated(a invocations.Artifact) bool {
	return FromGenerator(a.Path) && hexagon.IsTarget(a.Options[OptionTarget])
}

// unscheduledSuffix ends the name of a pipeline's version with Halide's default schedule. A program for the emulator
// holds one of each scheduled pipeline, as the reference of those that have no other one: a schedule that does not fit
// the extents makes wrong outputs without a word, if the target has the feature no_asserts.
const unscheduledSuffix = "__unscheduled"

// unhandledByHVX begins Halide's message about an operation on vectors that has no instruction.
const unhandledByHVX = "Unhandled HVX"

// linkEmulated builds the pipelines of a request into a program for the emulator below the cache, out.Library.
func (r Runtime) linkEmulated(
	ctx context.Context, tools generator.Toolchain, request generator.Request, w building.Workshop,
) (out generator.Output, err error) {
	named := func(err error) error { return fmt.Errorf("%s: %w", request.Source, err) }
	if err := hexagon.CheckTarget(request.Target); err != nil {
		return out, named(err)
	}
	compiler, err := hexagon.FindCompiler(r.getenv)
	if err != nil {
		return out, named(err)
	}
	request.Outputs = generator.Outputs{Object: true}
	cache := w.Cache
	if out, err = tools.Build(ctx, request, cache); err != nil {
		if strings.Contains(err.Error(), unhandledByHVX) {
			err = fmt.Errorf("%w\n(the vector unit of this version lacks the instruction, as those before hvx_v68 lack "+
				"floating point; choose another version, or do not vectorize)", err)
		}
		return out, err
	}
	all := slices.Concat(out.Pipelines, unscheduled(ctx, tools, request, out, cache))
	// The numbers of pipelines in the program are their places in the order of their names, as in its metadata.
	slices.SortFunc(all, func(a, b generator.Pipeline) int { return strings.Compare(a.Function, b.Function) })
	p := hexagon.Program{Target: out.Target}
	for _, one := range all {
		p.Pipelines, p.Objects = append(p.Pipelines, one.Function), append(p.Objects, one.Object)
	}
	support, err := tools.Runtime(ctx, out.Target, cache)
	if err != nil {
		return out, named(err)
	}
	p.Objects = append(p.Objects, support)
	if out.Library, err = hexagon.Link(ctx, compiler, p, building.Workshop{Cache: filepath.Join(cache, Name), Confine: w.Confine}); err != nil {
		return out, named(err)
	}
	return out, nil
}

// unscheduled builds the pipelines again, with Halide's default schedule. Those that cannot be built so are left out:
// they are not what the user asked for, and a result tells if it was compared with nothing.
func unscheduled(
	ctx context.Context, tools generator.Toolchain, request generator.Request, scheduled generator.Output, cache string,
) (list []generator.Pipeline) {
	if scheduled.Scheduler == generator.None {
		return nil
	}
	request.Scheduler, request.SchedulerParams = generator.None, nil
	for _, p := range scheduled.Pipelines {
		request.Generators, request.Function = []string{p.Generator}, p.Function+unscheduledSuffix
		if out, err := tools.Build(ctx, request, cache); err == nil {
			list = append(list, out.Pipelines...)
		}
	}
	return list
}

// chosen returns the pipelines of a program that the user has asked for.
func chosen(f *metadata.File) (list []metadata.Pipeline) {
	for _, p := range f.Pipelines {
		if !strings.HasSuffix(p.Name, unscheduledSuffix) {
			list = append(list, p)
		}
	}
	return list
}
