package tt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"zonemark/executor"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
)

// describePipeline describes a pipeline as a function: the inputs of all stages, and the results of the last one.
func (r Runtime) describePipeline(
	d invocations.Description, file []byte, given map[string]string,
) (invocations.Description, error) {
	pipe, err := decodePipeline(file)
	if err != nil {
		return d, err
	}
	h := sha256.New()
	h.Write(file)
	f := invocations.Function{Name: stablehlo.Entry}
	for i := range pipe.Stages {
		o, err := pipe.Stages[i].optionsOf(given)
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
	*Pipeline
	path     string
	programs []*program
}

// loadPipeline loads the programs of a pipeline.
func (r Runtime) loadPipeline(artifact invocations.Artifact, file []byte) (_ *pipeline, err error) {
	p := &pipeline{path: artifact.Path}
	if p.Pipeline, err = decodePipeline(file); err != nil {
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
	o, err := p.Stages[i].optionsOf(given)
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
	if setBytes > 0 {
		return nil, fmt.Errorf("%s: a pipeline has one set of arguments; measure it in mode %s", p.path, invocations.Warm)
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
		return last.verifyAfter(run.invoke, run.sets[len(run.sets)-1], inv, func(text string) { call.Notes = append(call.Notes, text) })
	}
	return call, nil
}

// pipelineRun is a pipeline with its inputs.
type pipelineRun struct {
	*Pipeline
	sets  []*argumentSet
	links []link // to each stage but the first
}

// link hands results of a stage to the inputs of the next one. The next one copies them as soon as it has ended its sample;
// then the one before it may begin another.
type link struct {
	ready, taken chan struct{}
	moves        []move
}

// move is a result of a stage and the input of the next one that takes it.
type move struct{ result, input int }

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
		run.sets = append(run.sets, set)
		if i == 0 {
			continue
		}
		l := link{ready: make(chan struct{}), taken: make(chan struct{})}
		for input, result := range p.Stages[i].From {
			if err := fitting(p.programs[i-1], one, result, input, set.resident); err != nil {
				return nil, fmt.Errorf("stage %d: %w", i, err)
			}
			l.moves = append(l.moves, move{result, input})
		}
		run.links = append(run.links, l)
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
	for _, set := range run.sets {
		set.close()
	}
}

// invoke sends the samples through all stages. It returns when the last one has left the last stage. This is what is timed.
func (run *pipelineRun) invoke() error {
	errs := make([]error, len(run.sets))
	var failed sync.Once
	var running sync.WaitGroup
	stop := make(chan struct{})
	stage := func(i int) {
		if errs[i] = run.stage(i, stop); errs[i] != nil {
			failed.Do(func() { close(stop) })
		}
	}
	for i := 1; i < len(run.sets); i++ {
		running.Go(func() { stage(i) })
	}
	stage(0)
	running.Wait()
	return errors.Join(errs...)
}

// stage runs one stage for all samples, or until stop is closed.
func (run *pipelineRun) stage(i int, stop <-chan struct{}) error {
	for range run.Samples {
		if i > 0 && !run.take(i, stop) {
			return nil
		}
		if err := run.sets[i].invoke(); err != nil {
			return fmt.Errorf("stage %d: %w", i, err)
		}
		if i == len(run.links) {
			continue
		}
		l := &run.links[i]
		if !meet(nil, l.ready, stop) || !meet(l.taken, nil, stop) {
			return nil
		}
	}
	return nil
}

// take copies the results of the stage before into the inputs of a stage. It returns false if stop was closed.
func (run *pipelineRun) take(i int, stop <-chan struct{}) bool {
	l := &run.links[i-1]
	if !meet(l.ready, nil, stop) {
		return false
	}
	for _, m := range l.moves {
		copy(run.sets[i].inputs[m.input], run.sets[i-1].results[0][m.result].data)
	}
	return meet(nil, l.taken, stop)
}

// meet waits for the other side of a channel, from which it receives or to which it sends; a nil channel has none. It returns
// false if stop was closed.
func meet(receive <-chan struct{}, send chan<- struct{}, stop <-chan struct{}) bool {
	select {
	case <-receive:
	case send <- struct{}{}:
	case <-stop:
		return false
	}
	return true
}
