package iree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"zonemark/executor"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/pipelines"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// describePipeline describes a pipeline as a function with the name of the last stage's: the inputs of all stages, and
// the results of the last one. What is built is a pipeline of the built modules.
func (in Installation) describePipeline(
	ctx context.Context, path string, o executor.DescribeOptions, by front,
) (invocations.Description, error) {
	d := invocations.Description{Artifact: invocations.Artifact{Path: path, Options: maps.Clone(o.Options)}}
	if d.Artifact.Options == nil {
		d.Artifact.Options = map[string]string{}
	}
	if _, whole := by.(wholeFunctions); !whole {
		return d, remedy.With(fmt.Errorf("a pipeline calls whole functions, and provider %s dispatches", by.name()),
			remedy.Remedy{Kind: remedy.Choose, Name: OptionProvider, Value: ProviderAuto})
	}
	pipe, err := pipelines.Read(path)
	if err != nil {
		return d, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "pipeline of %d samples\n", pipe.Samples)
	f := &invocations.Function{}
	for i := range pipe.Stages {
		s := &pipe.Stages[i]
		own := o
		own.Options = s.OptionsOf(o.Options)
		one, err := in.describe(ctx, s.Path, own, by)
		if err == nil {
			err = addStage(f, i, s, one.Functions, i == len(pipe.Stages)-1)
		}
		if err != nil {
			return d, fmt.Errorf("stage %d: %w", i, err)
		}
		fmt.Fprintf(h, "%s %s %q %v\n", one.Artifact.SHA256, s.Function, s.Options, s.From)
		d.Warnings = append(d.Warnings, one.Warnings...)
		if one.Artifact.Built != "" {
			s.Path = one.Artifact.Built
		}
	}
	d.Artifact.SHA256 = hex.EncodeToString(h.Sum(nil))
	d.Functions = []invocations.Function{*f}
	d.Details = []string{fmt.Sprintf("a pipeline of %d modules, %d samples in a call", len(pipe.Stages), pipe.Samples)}
	d.Artifact.Built, err = pipe.Keep(filepath.Join(o.Cache, "iree")) // where the modules are
	return d, err
}

// addStage adds the arguments of a stage's function to those of the pipeline.
func addStage(to *invocations.Function, i int, s *pipelines.Stage, of []invocations.Function, last bool) error {
	for _, f := range of {
		if f.Name != s.Function {
			continue
		}
		to.Name = f.Name
		if to.Skip == "" && f.Skip != "" {
			to.Skip = fmt.Sprintf("stage %d: %s", i, f.Skip)
		}
		for _, a := range f.Arguments {
			if a.ByValue && a.Usage != invocations.Output {
				return fmt.Errorf("argument %s is a number, and functions of a pipeline take tensors", a.Name)
			}
			if a.Usage != invocations.Output || last {
				a.Name = fmt.Sprintf("stage %d %s", i, a.Name)
				to.Arguments = append(to.Arguments, a)
			}
		}
		return nil
	}
	return fmt.Errorf("the module has no function %q", s.Function)
}

// pipeline is a loaded pipeline.
type pipeline struct {
	*pipelines.Pipeline
	by       wholeFunctions
	artifact invocations.Artifact
	programs []*program
}

// loadPipeline loads the modules of a pipeline. Those on the same device share it.
func loadPipeline(artifact invocations.Artifact, by front) (_ *pipeline, err error) {
	whole, _ := by.(wholeFunctions) // see describePipeline
	p := &pipeline{by: whole, artifact: artifact}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", artifact.Path, err), p.Close())
		}
	}()
	if p.Pipeline, err = pipelines.Read(artifact.Built); err != nil {
		return nil, err
	}
	var opened []session
	for i := range p.Stages {
		s := &p.Stages[i]
		own := invocations.Artifact{Path: s.Path, Options: s.OptionsOf(artifact.Options)}
		m, err := readModule(own)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		one, err := whole.loadBeside(own, m, opened)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		p.programs, opened = append(p.programs, one), append(opened, one.session)
	}
	return p, nil
}

// Close unloads the modules.
func (p *pipeline) Close() (err error) {
	for _, one := range p.programs {
		err = errors.Join(err, one.Close())
	}
	return err
}

// Prepare binds the functions to filled inputs. A call sends the samples through all of them.
func (p *pipeline) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if err := pipelines.CheckSets(p.artifact.Path, setBytes); err != nil {
		return nil, err
	}
	var stages []*bound
	free := func() {
		for _, one := range stages {
			one.close()
		}
	}
	moves := make([][]move, len(p.programs))
	rest := inv.Arguments
	for i, one := range p.programs {
		var list []tensor.Tensor
		var err error
		moves[i] = []move{}
		if list, rest, err = stageInputs(one, p.Stages[i].Function, inv, rest); err == nil && i > 0 {
			moves[i], err = p.moves(i, list)
		}
		var next *bound
		if err == nil {
			next, err = one.session.bind(p.Stages[i].Function, list)
		}
		if err != nil {
			free()
			return nil, fmt.Errorf("%s: stage %d: %w", p.artifact.Path, i, err)
		}
		stages = append(stages, next)
	}
	chain, err := p.by.chain(p.Samples, stages, moves)
	if err != nil {
		free()
		return nil, fmt.Errorf("%s: %w", p.artifact.Path, err)
	}
	call := &executor.Call{
		Work:  &executor.Function{Invoke: chain.invoke, OnThread: executor.OnThread{Waits: true, Device: OnDevice(p.artifact.Options)}},
		Close: func() { chain.close(); free() },
		Notes: []string{fmt.Sprintf("a call sends %d samples through %d modules, which work at the same time", p.Samples, len(stages))},
	}
	note := func(text string) { call.Notes = append(call.Notes, text) }
	call.Verify = p.programs[len(p.programs)-1].check(chain, inv, note).First
	return call, nil
}

// stageInputs returns the inputs of a stage, which are the first ones of those that are given, and the others.
func stageInputs(
	one *program, function string, inv *invocations.Invocation, given []invocations.Argument,
) (list []tensor.Tensor, rest []invocations.Argument, err error) {
	count := len(given)
	if f, known := one.module.Function(function); known {
		count = min(count, len(f.Arguments))
	}
	own := *inv
	own.Function, own.Arguments = function, given[:count]
	list, err = functionInputs(one.module, &own, 0)
	return list, given[count:], err
}

// moves returns what a stage takes of the one before, if the types fit.
func (p *pipeline) moves(i int, inputs []tensor.Tensor) (list []move, err error) {
	before, _ := p.programs[i-1].module.Function(p.Stages[i-1].Function)
	for input, result := range p.Stages[i].From {
		if result < 0 || result >= len(before.Results) || input < 0 || input >= len(inputs) {
			return nil, fmt.Errorf("input %d cannot take result %d: there are %d inputs, and %d results", input, result, len(inputs),
				len(before.Results))
		}
		if t := &inputs[input]; !functions.Fits(before.Results[result], t) {
			return nil, fmt.Errorf("input %d is %s, and result %d of the stage before is %s", input, t.Type(), result,
				before.Results[result].Type.Text)
		}
		list = append(list, move{result, input})
	}
	return list, nil
}

// companionsOfPipeline returns the paths of the modules of a built pipeline, and of what they need beside them.
func companionsOfPipeline(path string) (list []string, err error) {
	p, err := pipelines.Read(path)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Stages {
		more, err := Companions(s.Path)
		if err != nil {
			return nil, err
		}
		list = append(append(list, s.Path), more...)
	}
	return list, nil
}
