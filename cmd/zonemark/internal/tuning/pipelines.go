package tuning

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/driver/files"
	shipped "zonemark/driver/halide"
	"zonemark/driver/python"
	"zonemark/driver/tune"
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
	params, err := assignments(optionGeneratorParams, t.given[optionGeneratorParams])
	if err != nil {
		return nil, err
	}
	if !generator.IsSource(arg) {
		b, err := shipped.Find(arg)
		if err != nil {
			return nil, fmt.Errorf("%w; or name a generator's file (.py, .cpp)", err)
		}
		source, err := t.shippedSource(b)
		return []*pipeline{{
			Pipeline: tune.Pipeline{Name: b.Name, Source: b.Source, Parameters: params}, source: source, benchmark: &b,
		}}, err
	}
	if _, err := os.Stat(arg); err != nil {
		return nil, fmt.Errorf("generator: %w", err)
	}
	names := strings.Fields(t.given[optionGenerator])
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

// shippedSource writes the generators that zonemark ships into the cache and returns the path of a benchmark's.
func (t *tuner) shippedSource(b shipped.Benchmark) (string, error) {
	folder := filepath.Join(t.folder.Cache(), "shipped")
	all := python.Files()
	names, err := fs.Glob(all, path.Join(path.Dir(b.Source), "*.py"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	for _, name := range names {
		text, err := fs.ReadFile(all, name)
		if err != nil {
			return "", err
		}
		if err := files.Write(filepath.Join(folder, path.Base(name)), 0o666, text); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, path.Base(b.Source)), nil
}

// contents writes inputs for a shipped benchmark and what its outputs must be, if they are not there, and returns the
// arguments, scalars and the check of its invocations. Random inputs of other pipelines, and the outputs of their
// untuned schedule, are the business of the runtime.
func (t *tuner) contents(p *pipeline) (inv invocations.Invocation, err error) {
	inv.Verify.Tolerance = t.flags.Base.Verify.Tolerance
	if p.benchmark == nil {
		inv.Verify.Reference = filepath.Join("..", filepath.Base(filepath.Dir(p.untuned.File(tune.Library))),
			p.untuned.Name+tune.Library) + ":" + p.untuned.Function
		return inv, nil
	}
	b := p.benchmark
	inv.Verify.Tolerance = cmp.Or(inv.Verify.Tolerance, b.Tolerance)
	inv.FLOP, inv.Bytes = float64(b.Operations), float64(b.Bytes())
	inputs := b.Random(t.flags.Base.Measure.Seed)
	outputs, err := b.Reference(inputs)
	if err != nil {
		return inv, err
	}
	folder := t.folder.Inputs(p.Name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return inv, fmt.Errorf("inputs of %s: %w", p.Name, err)
	}
	write := func(name string, a shipped.Array) (string, error) {
		path := filepath.Join(folder, name+".npy")
		return path, files.Replace(path, 0o666, a.WriteNPY)
	}
	for i, a := range inputs {
		path, err := write(b.Inputs[i].Name, a)
		if err != nil {
			return inv, err
		}
		inv.Arguments = append(inv.Arguments, invocations.Argument{
			Name: b.Inputs[i].Name, Contents: invocations.Contents{Fill: invocations.FillFile, Path: path},
		})
	}
	for i, a := range outputs {
		path, err := write(b.Outputs[i].Name, a)
		if err != nil {
			return inv, err
		}
		inv.Verify.Expected = append(inv.Verify.Expected, "@"+path)
	}
	for _, s := range b.Scalars {
		if inv.Parameters == nil {
			inv.Parameters = map[string]string{}
		}
		inv.Parameters[s.Name] = strconv.FormatFloat(s.Value, 'f', -1, 64)
	}
	return inv, nil
}

// assignments reads the NAME=VALUE words of an option.
func assignments(option, text string) (values map[string]string, err error) {
	for _, word := range strings.Fields(text) {
		name, value, found := strings.Cut(word, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("--%s: %q: want NAME=VALUE", option, word)
		}
		if values == nil {
			values = map[string]string{}
		}
		values[name] = value
	}
	return values, nil
}
