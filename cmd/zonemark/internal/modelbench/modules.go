package modelbench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/bench"
	"zonemark/driver/filehash"
	"zonemark/invocations"
)

// measure returns the settings with which every module is measured.
func (t *target) measure() invocations.Measure {
	return invocations.Measure{Mode: invocations.Warm, Rounds: int(t.options.Repetitions), CPU: t.cpu,
		Iterations: t.options.LoopCount}
}

// requests returns the requests for the modules of an export, in their order.
func (t *target) requests(x bench.Export) (list []invocations.Invocation) {
	for i := range x.Modules {
		m := &x.Modules[i]
		inv := x.Request(m)
		inv.Runtime, inv.Measure, inv.Limits = t.backend.name, t.measure(), t.limits
		inv.Artifact.Options = t.backend.moduleOptions(t, m)
		if m.Role == bench.RoleDevice {
			inv.Measure.ProfileCalls = t.profiledCalls()
			inv.FLOP *= float64(t.options.Chips)
		}
		list = append(list, inv)
	}
	return list
}

// plan has the artifacts of requests described and built, and returns an invocation for each request. The requests are
// for one function each, and were provided for.
func (t *target) plan(ctx context.Context, requests []invocations.Invocation) ([]driver.Planned, error) {
	builder := hosting.NewBuilder(t.hosting(t.variables, ""))
	defer builder.Close()
	built, err := t.cache().Folder("built")
	if err != nil {
		return nil, err
	}
	hashes, err := t.cache().Folder("hashes")
	if err != nil {
		return nil, err
	}
	planner := &driver.Planner{
		Builder: builder, Build: cli.Version(), Cache: built, Say: func(string, ...any) {},
		Content: t.Runtimes.Contents(filehash.New(hashes).SHA256),
	}
	waiting := time.AfterFunc(time.Second, func() {
		t.exporting.Say("building %s for %s", requests[len(requests)-1].Name, t.backend.name)
	})
	defer waiting.Stop()
	resolved, err := planner.Resolve(ctx, requests, nil)
	if err != nil {
		return nil, err
	}
	var list []driver.Planned
	for _, p := range resolved.All() {
		list = append(list, *p)
	}
	if len(list) != len(requests) {
		return nil, fmt.Errorf("%d of %d programs have their function", len(list), len(requests))
	}
	return list, nil
}

// execute carries invocations out in a sandboxed executor and returns a record for each, in their order.
func (b *Benchmark) execute(ctx context.Context, scratch string, list []driver.Planned) ([]invocations.Record, error) {
	cli.RelaxCollector()
	plan := &driver.Plan{Environment: b.environment}
	plan.Add(list...)
	cache, err := b.cache().Folder("")
	if err != nil {
		return nil, err
	}
	executors := hosting.NewMeasurer(b.hosting(b.variables, scratch).Serving(plan, cache))
	defer executors.Close()
	line := cli.NewProgressLine(b.Err, b.quiet)
	outcome, err := driver.Execute(ctx, plan, driver.Execution{
		Executor: executors, Build: cli.Version(), Progress: hosting.ShowProgress(line),
	})
	line.Clear()
	if err == nil && outcome.Records.Len() != len(list) {
		err = fmt.Errorf("%d of %d invocations came to an end", outcome.Records.Len(), len(list))
	}
	return outcome.Records.List(), err
}

// provide finds, or installs, what the runtime needs for requests. It tells the user about it once.
func (t *target) provide(ctx context.Context, list []invocations.Invocation) (err error) {
	installing := t.Installing(t.quiet || t.provided)
	defer installing.Line.Clear()
	o := installing.Options("") // --python has JAX and Keras, and no runtime
	o.Variables = t.variables
	t.variables, err = t.Runtimes.Provide(ctx, o, list, false)
	t.provided = err == nil
	return err
}

// measureModules measures the modules of an export on all targets and fills their records. Runtimes take turns.
func (b *Benchmark) measureModules(ctx context.Context, x bench.Export, targets []*target, scratch string) error {
	var ready []*target
	lists := map[*target][]driver.Planned{}
	for _, t := range targets {
		requests := t.requests(x)
		if err := t.provide(ctx, requests); err != nil {
			t.fail(err)
			continue
		}
		begin := time.Now()
		list, err := t.plan(ctx, requests)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.record.Zonemark.BuildMS = float64(time.Since(begin)) / 1e6
		if err != nil {
			t.fail(&notOKError{fmt.Errorf("the model cannot be built: %w%s", err, t.backend.remedy)})
			continue
		}
		ready, lists[t] = append(ready, t), list
	}
	var plan []driver.Planned
	for i := range x.Modules {
		for _, t := range ready {
			p := lists[t][i]
			if len(ready) > 1 {
				p.Invocation.Group = p.Invocation.Name
			}
			if b.several() {
				p.Invocation.Name += "/" + t.backend.name
			}
			p.Invocation.Seal()
			plan = append(plan, p)
		}
	}
	if len(plan) == 0 {
		return nil
	}
	watch := watchTTMetal(b.variables.Lookup)
	records, err := b.execute(ctx, scratch, plan)
	if err != nil {
		return err
	}
	b.results = records
	for at, t := range ready {
		var own []invocations.Record
		for i := at; i < len(records); i += len(ready) {
			own = append(own, records[i])
		}
		t.fail(t.fill(ctx, x, own, watch))
	}
	return nil
}

// fill fills the record with the results of the modules.
func (t *target) fill(ctx context.Context, x bench.Export, records []invocations.Record, watch ttMetalWatch) error {
	var modules []bench.ModuleRecord
	for i, r := range records {
		r.Arguments = nil // a model has hundreds, and its export lists them
		modules = append(modules, bench.ModuleRecord{Role: x.Modules[i].Role, Record: r})
	}
	if err := t.record.Measured(modules); err != nil {
		return &notOKError{err}
	}
	t.analyse()
	return t.trace(ctx, watch)
}

// checkAlike returns an error for runtimes that would not measure the same model, so that their times say nothing about
// each other.
func checkAlike(targets []*target) error {
	for _, t := range targets[min(1, len(targets)):] {
		first := targets[0]
		if t.choices.DType != first.choices.DType || t.choices.EmulatedFormat != first.choices.EmulatedFormat {
			kind := func(t *target) string { return cmp.Or(t.choices.EmulatedFormat, t.choices.DType) }
			return &bench.Error{Kind: "flag", Text: fmt.Sprintf("%s would run the model in %s and %s in %s; "+
				"give -df Fp32, Fp16 or Fp16_b", first.backend.name, kind(first), t.backend.name, kind(t))}
		}
	}
	if i := slices.IndexFunc(targets, func(t *target) bool { return t.options.Chips != 1 }); i >= 0 && len(targets) > 1 {
		return &bench.Error{Kind: "flag", Text: fmt.Sprintf("%s would run on %d chips and others on one; give --chips 1",
			targets[i].backend.name, targets[i].options.Chips)}
	}
	return nil
}
