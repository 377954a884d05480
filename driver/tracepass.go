package driver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// partsOff is how far medians of parts may sum beside the median of the whole without a word: each call is conserved, medians are not.
const partsOff = 0.05

// addProfile adds what a traced pass has found to a measured result. An invocation that could not be traced has notes only.
func addProfile(r *invocations.Result, t *invocations.Profile) {
	addNew(&r.Notes, t.Notes)
	if t.Source == invocations.NoSource || r.Profile.Source != invocations.NoSource {
		return
	}
	r.Profile, r.Profile.Notes = *t, nil
	parts := t.HostNS + t.GapNS + t.UnexplainedNS
	for _, d := range t.Dispatches {
		parts += d.MedianNS
	}
	if t.CallNS > 0 && math.Abs(parts/t.CallNS-1) > partsOff {
		addNew(&r.Notes, []string{fmt.Sprintf("the medians of the parts of its traced calls sum to %.0f %% of the median call: the calls differ", 100*parts/t.CallNS)})
	}
	switch {
	case t.Partial:
		r.Flaw(invocations.PartialTrace)
	case t.Contended:
		addNew(&r.Notes, []string{"while it was traced, threads of the runtime waited for a CPU"})
	}
}

// TracePass makes the calls of a plan's invocations in executors whose runtime is being captured, or that record calls of the runtime's tools. It runs before anything is measured, so that a result
// is whole when it is written; what fails in it is measured all the same.
type TracePass struct {
	Executor Starter // of executors that are captured, or that record
	Build    string  // of zonemark, for the handshake
	Calls    int64   // of each invocation
	// Adapt changes an invocation to what the captured executor must load; nil: nothing differs.
	Adapt    func(*invocations.Invocation)
	Progress func(Progress) // may be nil
}

// Attempt is what became of an invocation in a traced pass.
type Attempt struct {
	Calls  int64  // that were made; the capture should hold as many
	Reason string // why it could not be traced; empty when it could
	// Profile is what an executor that records has found itself; nil of one that is captured.
	Profile *invocations.Profile
}

// Run traces what the plan holds and has not been done, one after the other. It returns what became of the invocations, by id; an error is the context's, or
// one of the driver's own.
func (t *TracePass) Run(ctx context.Context, plan *Plan, done map[string]invocations.Record) (attempts map[string]Attempt, err error) {
	s := &supervisor{starter: t.Executor, build: t.Build}
	defer s.close()
	attempts = map[string]Attempt{}
	total, finished := 0, 0
	wanted := func(p *Planned) bool {
		_, known := done[p.Invocation.ID]
		return p.Verdict == "" && !known
	}
	for i := range plan.List {
		if wanted(&plan.List[i]) {
			total++
		}
	}
	for i := range plan.List {
		p := plan.List[i]
		if !wanted(&p) {
			continue
		}
		if t.Progress != nil {
			t.Progress(Progress{Name: p.Invocation.Name, Finished: finished, Total: total, Tracing: true})
		}
		if t.Adapt != nil {
			t.Adapt(&p.Invocation)
		}
		if attempts[p.Invocation.ID], err = t.one(ctx, s, &p); err != nil {
			return attempts, err
		}
		finished++
	}
	return attempts, nil
}

// one traces an invocation.
func (t *TracePass) one(ctx context.Context, s *supervisor, p *Planned) (Attempt, error) {
	m := &wire.Execute{Invocation: p.Invocation, Last: true, TraceCalls: t.Calls}
	c, reply, err := s.converse(ctx, m, p.Invocation.ID, time.Duration(p.Invocation.Limits.TimeoutNS))
	if ctx.Err() != nil {
		return Attempt{}, ctx.Err()
	}
	if c == nil {
		return Attempt{}, err
	}
	if err != nil {
		r := obituary(c, *p, err)
		return Attempt{Reason: fmt.Sprintf("%s: %s", r.Status, r.Error)}, nil
	}
	r := &reply.(*wire.Result).Result // answers matches the id of an Execute with nothing else
	if r.Status != invocations.OK {
		return Attempt{Reason: fmt.Sprintf("%s: %s", r.Status, r.Error)}, nil
	}
	return Attempt{Calls: r.Iterations, Profile: profileOf(r)}, nil
}

// profileOf returns the profile of a result with the notes of the result, nil if it has none.
func profileOf(r *invocations.Result) *invocations.Profile {
	if r.Profile.Source == invocations.NoSource {
		return nil
	}
	p := r.Profile
	p.Notes, p.Partial = r.Notes, slices.Contains(r.Verdicts, invocations.PartialTrace)
	return &p
}
