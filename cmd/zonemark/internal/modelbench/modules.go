package modelbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/bench"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
)

// measure returns the settings with which every module is measured.
func (t *target) measure() invocations.Measure {
	return invocations.Measure{Mode: invocations.Warm, CPU: t.Base.Measure.CPU, Precision: bench.Precision,
		Iterations: t.options.LoopCount, Launches: int(t.options.Repetitions)}
}

// requests returns the requests for the modules of an export, in their order.
func (t *target) requests(x bench.Export) (list []invocations.Invocation) {
	for i := range x.Modules {
		m := &x.Modules[i]
		inv := x.Request(m)
		inv.Runtime, inv.Measure, inv.Limits = t.backend.name, t.measure(), t.Base.Limits
		inv.Artifact.Options = t.backend.moduleOptions(t, m)
		if m.Role == bench.RoleDevice {
			inv.Measure.ProfileCalls = t.profiledCalls()
			inv.FLOP *= float64(t.options.Chips)
		}
		list = append(list, inv)
	}
	return list
}

// session returns what plans and measures with the variables that were found up to now. It keeps the journal that the
// user asked for.
func (b *Benchmark) session() *measuring.Measurement {
	task := b.Task
	task.Variables = b.variables
	m := measuring.New(&task, nil)
	m.Connected = b.hosts
	m.Working = func(string, ...any) {} // see plan
	return m
}

// plan has the artifacts of requests described and built, and returns an invocation for each request. The requests are
// for one function each, and were provided for.
func (t *target) plan(ctx context.Context, requests []invocations.Invocation) ([]plan.Entry, error) {
	waiting := time.AfterFunc(time.Second, func() {
		t.exporting.Say("building %s for %s", requests[len(requests)-1].Name, t.backend.name)
	})
	defer waiting.Stop()
	resolved, err := t.session().Resolve(ctx, requests)
	if err != nil {
		return nil, err
	}
	var list []plan.Entry
	for _, p := range resolved.All() {
		list = append(list, *p)
	}
	if len(list) != len(requests) {
		return nil, fmt.Errorf("%d of %d programs have their function", len(list), len(requests))
	}
	return list, nil
}

// done is what a plan has brought.
type done struct {
	run report.Run
	of  [][]invocations.Record // of each host: a record for each invocation, in their order
}

// execute has a session carry invocations out, here or on the hosts of --via.
func (b *Benchmark) execute(ctx context.Context, m *measuring.Measurement, list []plan.Entry) (done, error) {
	plan := &plan.Plan{Environment: b.environment}
	plan.Add(list...)
	d := done{of: make([][]invocations.Record, b.hostCount())}
	for host := range d.of {
		d.of[host] = make([]invocations.Record, len(list))
	}
	m.Part = func(host, position int, r *invocations.Record) { d.of[host][position] = *r }
	var err error
	d.run, err = m.Execute(ctx, plan)
	var early *measuring.EarlyError
	if errors.As(err, &early) && m.Journal.Path == "" {
		return done{}, early.Err // there is nothing to go on with
	}
	if err == nil && d.run.Records.Len() != len(list) {
		err = fmt.Errorf("%d of %d invocations came to an end", d.run.Records.Len(), len(list))
	}
	if err != nil {
		return done{}, err
	}
	for _, own := range d.of {
		for i := range own {
			if own[i].ID == "" { // one host measures, or what is refused was measured by none
				r, err := d.run.Records.At(i)
				if err != nil {
					return done{}, err
				}
				own[i] = *r
			}
		}
	}
	return d, nil
}

// provide finds, or installs, what the runtime needs for requests. It tells the user about it once.
func (t *target) provide(ctx context.Context, list []invocations.Invocation) (err error) {
	installing := t.Installing(t.Quiet || t.provided)
	defer installing.Line.Clear()
	o := installing.Options("") // --python has JAX and Keras, and no runtime
	o.Variables = t.variables
	t.variables, err = t.Runtimes.Provide(ctx, o, list)
	t.provided = err == nil
	return err
}

// measureModules measures the modules of an export on all targets and fills their records. Runtimes take turns.
func (b *Benchmark) measureModules(ctx context.Context, x bench.Export, targets []*target) error {
	var ready []*target // the first one of each runtime
	lists := map[*target][]plan.Entry{}
	for _, t := range targets {
		if t.host > 0 {
			continue // what is built for one host is for all
		}
		list, err := t.planModules(ctx, x)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			ready, lists[t] = append(ready, t), list
			continue
		}
		for _, one := range t.byRuntime() {
			one.fail(err)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	var plan []plan.Entry
	places := map[*target][]int{} // in the plan
	for i := range len(x.Modules) + 1 {
		for _, t := range ready {
			if i >= len(lists[t]) { // it has no pipeline
				continue
			}
			p := lists[t][i]
			if len(ready) > 1 && i < len(x.Modules) {
				p.Invocation.Group = p.Invocation.Name
			}
			if b.several() {
				p.Invocation.Name += "/" + t.backend.name
			}
			p.Invocation.Seal()
			places[t], plan = append(places[t], len(plan)), append(plan, p)
		}
	}
	watch := b.watchTTMetal()
	measured, err := b.execute(ctx, b.session(), plan)
	if err != nil {
		return err
	}
	b.run = measured.run
	list, err := b.run.Records.List()
	if err = errors.Join(err, b.run.Records.Close()); err != nil {
		return err
	}
	b.run.Records = invocations.RecordsOf(list[:len(x.Modules)*len(ready)]...) // without the pipelines
	for _, leader := range ready {
		for _, t := range leader.byRuntime() {
			var own []invocations.Record
			for _, i := range places[leader] {
				own = append(own, measured.of[t.host][i])
			}
			t.fail(t.fill(ctx, x, own, watch))
		}
	}
	return nil
}

// planModules plans the modules of an export and, if they can work at the same time, their pipeline. It notes in the
// records of all hosts how long that took.
func (t *target) planModules(ctx context.Context, x bench.Export) ([]plan.Entry, error) {
	requests := t.requests(x)
	pipelined, err := t.pipelined(x, requests)
	if err != nil {
		return nil, err
	}
	requests = append(requests, pipelined...)
	if err := t.provide(ctx, requests); err != nil {
		return nil, err
	}
	begin := time.Now()
	list, err := t.plan(ctx, requests)
	for _, one := range t.byRuntime() {
		one.record.Zonemark.BuildMS = float64(time.Since(begin)) / 1e6
	}
	if err != nil {
		return nil, &notOKError{fmt.Errorf("the model cannot be built: %w%s", err, t.backend.remedy)}
	}
	return list, nil
}

// fill fills the record with the results of the modules.
func (t *target) fill(ctx context.Context, x bench.Export, records []invocations.Record, watch ttMetalWatch) error {
	var modules []bench.ModuleRecord
	for i, r := range records[:len(x.Modules)] {
		r.Arguments = nil // a model has hundreds, and its export lists them
		modules = append(modules, bench.ModuleRecord{Role: x.Modules[i].Role, Record: r})
	}
	if err := t.record.Measured(modules); err != nil {
		return &notOKError{err}
	}
	for i := range records[len(x.Modules):] {
		t.stalled = t.record.MeasuredPipelined(&records[len(x.Modules)+i])
	}
	t.analyse()
	return t.trace(ctx, watch)
}

// checkAlike returns an error for targets that would not measure the same model, so that their times say nothing about
// each other.
func checkAlike(targets []*target) error {
	refuse := func(format string, args ...any) error {
		return &bench.Error{Text: fmt.Sprintf(format, args...)}
	}
	kind := func(t *target) string { return cmp.Or(t.choices.EmulatedFormat, t.choices.DType) }
	platform := func(t *target) string { return t.record.Zonemark.Device.Platform }
	first := targets[0]
	for _, t := range targets {
		leader := t.byRuntime()[0]
		switch {
		case t.choices.DType != first.choices.DType || t.choices.EmulatedFormat != first.choices.EmulatedFormat:
			return refuse("%s would run the model in %s and %s in %s; give -df Fp32, Fp16 or Fp16_b", first.name(),
				kind(first), t.name(), kind(t))
		case t.options.Chips != first.options.Chips:
			return refuse("%s would run on %s and %s on %d; give --chips 1", first.name(),
				report.Counted(first.options.Chips, "chip"), t.name(), t.options.Chips)
		case platform(t) != platform(leader):
			return refuse("%s has a device of %s and %s one of %s; --spread compares hosts with equal devices", leader.name(),
				platform(leader), t.name(), platform(t))
		}
	}
	return nil
}
