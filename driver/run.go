package driver

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Runner carries a plan out.
type Runner struct {
	Executor Starter // of sandboxed executors that measure
	Build    string  // of zonemark, for the handshake
	Seed     uint64  // of the order
	Journal  *Journal
	Done     map[string]invocations.Record  // by id: what an earlier run has finished
	Traced   map[string]invocations.Profile // by id: what a traced pass has found
	Machine  *Machine                       // what is known of the machine, which learns from the run; saving it is the caller's. Nil: nothing is known, and nothing learned
	Progress func(Progress)                 // called before each round and at the end of each invocation; may be nil
}

// Progress says how far a run is.
type Progress struct {
	Finished, Total int
	Name            string // of the invocation that is being measured
	Round, Rounds   int
	Record          *invocations.Record // set when an invocation has just ended
	Tracing         bool                // in the traced pass, before measuring
}

// Outcome is what a run has produced.
type Outcome struct {
	Started     time.Time
	Records     []invocations.Record // in the plan's order; without the invocations that were not reached
	Executors   int                  // that were started to measure
	Complete    bool                 // every invocation has its record
	Environment map[string]string    // the plan's, with the counters of the executors that have measured

	refused bool   // no executor came up: nothing was begun, and the journal is as it was
	journal string // path of the journal; empty: there is none
	planned int    // invocations of the plan
}

// Run measures what the plan holds and has not been done. It returns what it has even with an error: the context's when it was interrupted,
// or a fault of our own, such as a journal that cannot be written.
func (r *Runner) Run(ctx context.Context, plan *Plan) (Outcome, error) {
	out := Outcome{Environment: plan.Environment}
	run := &run{Runner: r, plan: plan, records: make([]*invocations.Record, len(plan.List))}
	run.executor = &supervisor{starter: r.Executor, build: r.Build}
	defer run.executor.close()
	err := run.all(ctx)
	out.Executors, out.Complete = run.executor.starts, err == nil
	out.refused = run.refused
	if counters := run.executor.counters; counters != "" { // what is allowed outside a sandbox need not be inside
		out.Environment = maps.Clone(out.Environment)
		out.Environment["counters"] = counters
	}
	for _, rec := range run.records {
		if rec != nil {
			out.Records = append(out.Records, *rec)
		}
	}
	return out, err
}

// run is a run that is under way.
type run struct {
	*Runner
	plan     *Plan
	executor *supervisor
	records  []*invocations.Record // by position in the plan; nil: not finished
	finished int
	refused  bool                    // nothing was begun
	pinned   bool                    // the executor's thread is on one CPU
	unusable map[referenceKey]string // functions that cannot be the reference of their group, and why
}

func (r *run) all(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		r.refused = true
		return err
	}
	for i, p := range r.plan.List {
		if rec, ok := r.Done[p.Invocation.ID]; ok {
			r.records[i] = &rec
			r.finished++
		} else if p.Verdict != "" {
			refused := invocations.Result{ID: p.Invocation.ID, Status: p.Verdict, Error: p.Reason, Mode: p.Invocation.Measure.Mode}
			if err := r.finish(i, refused); err != nil {
				return err
			}
		}
	}
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	var window []int
	blocks := 0
	for _, block := range r.plan.blocks(r.Seed, r.records) {
		if !r.launches(block[0]) {
			if err := r.block(ctx, block, rng); err != nil {
				return err
			}
			continue
		}
		window, blocks = append(window, block...), blocks+1
		if blocks%windowBlocks == 0 {
			if err := r.window(ctx, window, rng); err != nil {
				return err
			}
			window = nil
		}
	}
	return r.window(ctx, window, rng)
}

// begin begins the journal as soon as an executor has come up, if one is needed: what refuses to run here leaves no journal.
func (r *run) begin(ctx context.Context) error {
	measures := slices.ContainsFunc(r.plan.List, func(p Planned) bool {
		_, done := r.Done[p.Invocation.ID]
		return !done && p.Verdict == ""
	})
	if measures {
		if _, err := r.executor.ready(ctx); err != nil {
			return err
		}
	}
	if r.Journal == nil {
		return nil
	}
	return r.Journal.Begin()
}

// launches says whether an invocation is measured in launches: not one that is only called once, nor one whose number of calls is fixed, as that of whole models is,
// which cost seconds to load.
func (r *run) launches(i int) bool {
	m := r.plan.List[i].Invocation.Measure
	return !m.CheckOnly && m.Iterations == 0
}

// block makes the rounds of the invocations of a block in turns, in a new random order each round, in one executor.
func (r *run) block(ctx context.Context, block []int, rng *rand.Rand) error {
	if r.plan.List[block[0]].Invocation.Measure.CPU < 0 && r.pinned {
		r.executor.close() // a pinned executor cannot find its way back to all CPUs
	}
	r.pinned = r.plan.List[block[0]].Invocation.Measure.CPU >= 0
	rounds := map[int][]invocations.Result{}
	open := append([]int(nil), block...)
	for round := 0; len(open) > 0; round++ {
		rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		var next []int
		for _, i := range open {
			result, more, err := r.round(ctx, i, round)
			if err != nil {
				return err
			}
			rounds[i] = append(rounds[i], result)
			if more {
				next = append(next, i)
				continue
			}
			if err := r.finish(i, merge(rounds[i], r.plan.List[i].Invocation.Measure.Precision)); err != nil {
				return err
			}
		}
		open = next
	}
	return nil
}

// round measures one round of an invocation and says whether more are to come.
func (r *run) round(ctx context.Context, i, round int) (result invocations.Result, more bool, err error) {
	p := r.plan.List[i]
	total := max(1, p.Invocation.Measure.Rounds)
	r.report(Progress{Name: p.Invocation.Name, Round: round, Rounds: total})
	result, err = r.execute(ctx, i, &wire.Execute{Invocation: p.Invocation, Round: round, Last: round+1 >= total})
	if err != nil {
		return result, false, fmt.Errorf("%s: %w", p.Invocation.Name, err)
	}
	r.annotate(p, &result)
	return result, result.Status == invocations.OK && result.Stop != invocations.StopCheck && round+1 < total, nil
}

// finish records what became of an invocation.
func (r *run) finish(i int, result invocations.Result) error {
	if t, ok := r.Traced[result.ID]; ok && result.Status == invocations.OK {
		addProfile(&result, &t)
	}
	if r.Machine != nil {
		r.Machine.remember(result.ID, &result)
	}
	result.AuditTrace()
	record := invocations.NewRecord(r.plan.List[i].Invocation, result)
	r.records[i] = &record
	r.finished++
	r.report(Progress{Name: record.Name, Record: &record})
	if r.Journal == nil {
		return nil
	}
	return r.Journal.Append(record)
}

func (r *run) report(p Progress) {
	if r.Progress != nil {
		p.Finished, p.Total = r.finished, len(r.plan.List)
		r.Progress(p)
	}
}
