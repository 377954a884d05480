package tt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"zonemark/executor"
	"zonemark/executor/pipelines"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
)

// stageOptions returns the options of a stage of a pipeline.
func stageOptions(s *pipelines.Stage, given map[string]string) (options, error) {
	o, err := parseOptions(s.OptionsOf(given))
	switch {
	case err == nil && !o.transfers:
		err = fmt.Errorf("option %s: a pipeline hands samples on by way of the host, so want %s", optionTransfers, transfersIncluded)
	case err == nil && o.chips != 1:
		err = fmt.Errorf("option %s=%d: a pipeline hands samples from device to device, so want 1", optionChips, o.chips)
	}
	return o, err
}

// describePipeline describes a pipeline as a function: the inputs of all stages, and the results of the last one.
func (r Runtime) describePipeline(
	d invocations.Description, file []byte, given map[string]string,
) (invocations.Description, error) {
	pipe, err := pipelines.Decode(file)
	if err != nil {
		return d, err
	}
	h := sha256.New()
	h.Write(file)
	f := invocations.Function{Name: stablehlo.Entry}
	for i := range pipe.Stages {
		o, err := stageOptions(&pipe.Stages[i], given)
		var one invocations.Function
		if err == nil {
			one, _, err = r.describeProgram(pipe.Stages[i].Program, o)
		}
		if err != nil {
			return d, fmt.Errorf("stage %d: %w", i, err)
		}
		fmt.Fprintf(h, "\n%s", r.contentHash(pipe.Stages[i].Program, o))
		for _, bad := range []struct{ to, why *string }{{&f.Skip, &one.Skip}, {&f.Refused, &one.Refused}} {
			if *bad.to == "" && *bad.why != "" {
				*bad.to = fmt.Sprintf("stage %d: %s", i, *bad.why)
			}
		}
		for _, a := range one.Arguments {
			if a.Usage == invocations.Input || i == len(pipe.Stages)-1 {
				a.Name = fmt.Sprintf("stage %d %s", i, a.Name)
				f.Arguments = append(f.Arguments, a)
			}
		}
	}
	d.Artifact.SHA256 = hex.EncodeToString(h.Sum(nil))
	d.Functions = []invocations.Function{f}
	d.Details = []string{fmt.Sprintf("a pipeline of %d programs, %d samples in a call", len(pipe.Stages), pipe.Samples)}
	return d, nil
}

// pipeline is a loaded pipeline.
type pipeline struct {
	*pipelines.Pipeline
	path     string
	programs []*program
}

// loadPipeline loads the programs of a pipeline.
func (r Runtime) loadPipeline(artifact invocations.Artifact, file []byte) (_ *pipeline, err error) {
	p := &pipeline{path: artifact.Path}
	if p.Pipeline, err = pipelines.Decode(file); err != nil {
		return nil, err
	}
	for i := range p.Stages {
		if err := p.loadStage(r, i, artifact.Options); err != nil {
			return nil, errors.Join(fmt.Errorf("stage %d: %w", i, err), p.Close())
		}
	}
	return p, nil
}

// loadStage loads the program of a stage.
func (p *pipeline) loadStage(r Runtime, i int, given map[string]string) error {
	o, err := stageOptions(&p.Stages[i], given)
	if err != nil {
		return err
	}
	one, err := r.loadProgram(p.path, p.Stages[i].Program, o)
	if err != nil {
		return err
	}
	p.programs = append(p.programs, one)
	if n := len(one.devices); n != 1 {
		return fmt.Errorf("the program runs on %d devices, and those of a pipeline on one each", n)
	}
	return nil
}

// Close unloads the programs.
func (p *pipeline) Close() (err error) {
	for _, one := range p.programs {
		err = errors.Join(err, one.Close())
	}
	return err
}

// Prepare pushes the inputs that stay on the devices. A call sends the samples through all stages.
func (p *pipeline) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if err := pipelines.CheckSets(p.path, setBytes); err != nil {
		return nil, err
	}
	run, err := p.prepare(inv)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	call := &executor.Call{
		Work:       &executor.Function{Invoke: run.invoke, OnThread: executor.OnThread{Waits: true}},
		Close:      run.close,
		Notes:      []string{fmt.Sprintf("a call sends %d samples through %d programs, which work at the same time", p.Samples, len(p.Stages))},
		Properties: p.programs[0].properties(),
	}
	last := p.programs[len(p.programs)-1]
	call.Verify = func(phase func(string)) (string, error) {
		phase("verify")
		return last.verifyAfter(run.invoke, run.stages[len(run.stages)-1].argumentSet, inv, func(text string) { call.Notes = append(call.Notes, text) })
	}
	return call, nil
}

// pipelineRun is a pipeline with its inputs.
type pipelineRun struct {
	*pipelines.Pipeline
	stages []*stage
}

// stage is a program at work in a pipeline, with its inputs.
type stage struct {
	*argumentSet
	before *stage
	moves  []move // from the stage before
}

// move is a result of a stage and the input of the next one that takes it.
type move struct{ result, input int }

// Take copies the results of the stage before into the inputs.
func (s *stage) Take() error {
	for _, m := range s.moves {
		copy(s.inputs[m.input], s.before.results[0][m.result].data)
	}
	return nil
}

// Invoke runs the program.
func (s *stage) Invoke() error { return s.invoke() }

// prepare fills the inputs of all stages.
func (p *pipeline) prepare(inv *invocations.Invocation) (_ *pipelineRun, err error) {
	run := &pipelineRun{Pipeline: p.Pipeline}
	defer func() {
		if err != nil {
			run.close()
		}
	}()
	rest := inv.Arguments
	for i, one := range p.programs {
		own := *inv
		count := len(one.signature.arguments)
		if count > len(rest) {
			return nil, fmt.Errorf("stage %d takes %d inputs, and %d are left", i, count, len(rest))
		}
		own.Arguments, rest = rest[:count], rest[count:]
		set, _, err := one.prepareSet(&own, 0)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, outOfMemory(err))
		}
		next := &stage{argumentSet: set}
		run.stages = append(run.stages, next)
		if i == 0 {
			continue
		}
		next.before = run.stages[i-1]
		for input, result := range p.Stages[i].From {
			if err := fitting(p.programs[i-1], one, result, input, set.resident); err != nil {
				return nil, fmt.Errorf("stage %d: %w", i, err)
			}
			next.moves = append(next.moves, move{result, input})
		}
	}
	return run, nil
}

// fitting returns an error unless a result of a program can be an input of the next one that is pushed for each sample.
func fitting(before, next *program, result, input, resident int) error {
	if result < 0 || result >= len(before.signature.results) || input < resident || input >= len(next.signature.arguments) {
		return fmt.Errorf("input %d cannot take result %d: there are %d results, and inputs %d to %d are pushed", input, result,
			len(before.signature.results), resident, len(next.signature.arguments)-1)
	}
	from, known := before.signature.results[result].declaredShape()
	to, alsoKnown := next.signature.arguments[input].declaredShape()
	if !known || !alsoKnown || from.String() != to.String() {
		return fmt.Errorf("input %d is %s, and result %d of the stage before is %s", input, next.signature.arguments[input].text,
			result, before.signature.results[result].text)
	}
	return nil
}

// close frees everything on the devices.
func (run *pipelineRun) close() {
	for _, s := range run.stages {
		s.close()
	}
}

// invoke sends the samples through all stages. This is what is timed.
func (run *pipelineRun) invoke() error {
	workers := make([]pipelines.Worker, len(run.stages))
	for i, s := range run.stages {
		workers[i] = s
	}
	return pipelines.Run(run.Samples, workers)
}
