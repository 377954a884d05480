package tuning

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/halidecases"
	shipped "zonemark/driver/halide"
	"zonemark/driver/tune"
	"zonemark/executor/halide"
	"zonemark/executor/halide/generator"
	"zonemark/invocations"
)

// pipeline is what is tuned, with what tells whether its outputs are right.
type pipeline struct {
	tune.Pipeline
	source    string             // path of the generator's file
	benchmark *shipped.Benchmark // nil: not a shipped one
	untuned   tune.Made
}

// checkNames returns an error, before anything is made, if an argument names nothing.
func checkNames(args []string) error {
	for _, arg := range args {
		if generator.IsSource(arg) {
			if err := cli.CheckExists(arg, "a generator's file (.py, .cpp) or a shipped benchmark"); err != nil {
				return err
			}
		} else if _, err := shipped.Find(arg); err != nil {
			return fmt.Errorf("%w; or name a generator's file (.py, .cpp)", err)
		}
	}
	return nil
}

// pipelines returns what the arguments stand for, in their order.
func (t *tuner) pipelines(ctx context.Context, args []string) (list []*pipeline, err error) {
	seen := map[string]string{}
	for _, arg := range args {
		some, err := t.pipelinesOf(ctx, arg)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if other, twice := seen[p.Name]; twice {
				return nil, fmt.Errorf("%s and %s: both have a generator %s; tune them in folders of their own", other, arg,
					p.Name)
			}
			seen[p.Name] = arg
			list = append(list, p)
		}
	}
	return list, nil
}

// pipelinesOf returns the pipelines of a shipped benchmark, or of a generator's file.
func (t *tuner) pipelinesOf(ctx context.Context, arg string) (list []*pipeline, err error) {
	params, err := halide.Assignments(halide.OptionGeneratorParams, t.given[halide.OptionGeneratorParams])
	if err != nil {
		return nil, err
	}
	if !generator.IsSource(arg) {
		b, err := shipped.Find(arg)
		if err != nil {
			return nil, err
		}
		source, err := halidecases.Source(t.task.Cache(), b)
		return []*pipeline{{
			Pipeline: tune.Pipeline{Name: b.Name, Source: b.Source, Parameters: params}, source: source, benchmark: &b,
		}}, err
	}
	names := strings.Fields(t.given[halide.OptionGenerator])
	if len(names) == 0 {
		all, err := t.tools.Generators(ctx, arg, t.folder.Cache())
		if err != nil {
			return nil, err
		}
		for _, g := range all {
			names = append(names, g.Name)
		}
	}
	for _, name := range names {
		list = append(list, &pipeline{
			Pipeline: tune.Pipeline{Name: name, Source: filepath.Base(arg), Parameters: params}, source: arg,
		})
	}
	return list, nil
}

// contents returns the arguments, scalars and the check of a pipeline's invocations. What the outputs must be is told
// by the reference of a shipped benchmark, and by the untuned schedule of another pipeline.
func (t *tuner) contents(p *pipeline) (inv invocations.Invocation, err error) {
	if p.benchmark == nil {
		inv.Verify.Tolerance = t.task.Base.Verify.Tolerance
		inv.Verify.Reference = filepath.Join("..", filepath.Base(filepath.Dir(p.untuned.File(tune.Library))),
			p.untuned.Name+tune.Library) + ":" + p.untuned.Function
		return inv, nil
	}
	inv.Measure.Seed = t.task.Base.Measure.Seed
	return inv, halidecases.Complete(t.task.Cache(), &inv, *p.benchmark)
}
