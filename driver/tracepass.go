package driver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// partsOff is how far the sum of the medians of parts may differ from the median of the whole, as a fraction, without a
// note. The parts of each call add up to the call, but medians do not add up.
const partsOff = 0.05

// addProfile adds the result of a traced pass to a measured result. An invocation that could not be traced only has
// notes.
func addProfile(r *invocations.Result, t *invocations.Profile) {
	combine.AddNew(&r.Notes, t.Notes)
	if t.Partial {
		r.AddVerdict(invocations.PartialTrace)
	}
	if t.Source == invocations.NoSource || r.Profile.Source != invocations.NoSource {
		return
	}
	r.Profile, r.Profile.Notes = *t, nil
	parts := t.HostNS + t.GapNS + t.UnexplainedNS
	for _, d := range t.Dispatches {
		parts += d.MedianNS
	}
	if t.CallNS > 0 && math.Abs(parts/t.CallNS-1) > partsOff {
		combine.AddNote(&r.Notes, "its traced calls differ: the medians of their parts sum to %.0f %% of the median "+
			"call", 100*parts/t.CallNS)
	}
	if t.Contended && !t.Partial {
		combine.AddNew(&r.Notes, []string{"while it was traced, threads of the runtime waited for a CPU"})
	}
}

// TracePass makes the calls of a plan's invocations in executors whose runtime is being captured, or that record calls
// of the runtime's tools. It runs before measuring, so that a result is complete when it is written. Invocations that
// fail in it are measured nevertheless.
type TracePass struct {
	Executor executors.Starter // starts executors that are captured or that record
	Build    string            // of zonemark, for the handshake
	Words    executors.Words   // of remedies; may be nil
	Calls    int64             // of each invocation
	Tools    bool              // the executors record: they let tools make the calls
	// Adapt changes an invocation to what the captured executor must load; may be nil.
	Adapt    func(*invocations.Invocation)
	Progress func(Progress) // may be nil
}

// Attempt is the result of tracing an invocation.
type Attempt struct {
	Calls  int64  // calls that were made; the capture should hold as many
	Reason string // why it could not be traced; empty if it could
	Killed bool   // its executor died or was killed
	Note   string // what readers of the profile should know
	// Quiet is the number of calls during which no thread lost its CPU. Contended says that threads waited for CPUs that
	// other work had.
	Quiet     int64
	Contended bool
	// Profile is the profile of a recording executor; nil for a captured one.
	Profile *invocations.Profile
}

// Run traces the invocations of the plan that are not done, one after the other. It returns the attempts by id. An
// error is the context's or one of the driver.
func (t *TracePass) Run(
	ctx context.Context, whole *plan.Plan, done *journal.Done,
) (attempts map[string]Attempt, err error) {
	s := &executors.Supervisor{Starter: t.Executor, Build: t.Build, Words: t.Words, Tools: t.Tools}
	defer s.Close()
	attempts = map[string]Attempt{}
	total, finished := 0, 0
	wanted := func(p *plan.Entry) bool {
		return p.Verdict == "" && !done.Has(p.Invocation.ID)
	}
	for _, p := range whole.All() {
		if wanted(p) {
			total++
		}
	}
	for _, p := range whole.All() {
		if !wanted(p) {
			continue
		}
		if t.Progress != nil {
			t.Progress(Progress{Name: p.Invocation.Name, Finished: finished, Total: total, Tracing: true})
		}
		if t.Adapt != nil {
			t.Adapt(&p.Invocation)
		}
		if attempts[p.Invocation.ID], err = t.one(ctx, s, p); err != nil {
			return attempts, err
		}
		finished++
	}
	return attempts, nil
}

// one traces an invocation.
func (t *TracePass) one(ctx context.Context, s *executors.Supervisor, p *plan.Entry) (Attempt, error) {
	m := &wire.Execute{Invocation: p.Invocation, Last: true, TraceCalls: t.Calls}
	r, stopped, dead, err := s.Trace(ctx, m, p.Lacks)
	if err != nil {
		return Attempt{}, err
	}
	if dead || r.Status != invocations.OK {
		return Attempt{Reason: fmt.Sprintf("%s: %s", r.Status, r.Error), Killed: dead}, nil
	}
	a := Attempt{Calls: r.Iterations, Quiet: r.Canary.Quiet,
		Contended: slices.Contains(r.Verdicts, invocations.Contended), Profile: profileOf(&r)}
	if stopped != "" {
		a.Note = "while it was traced, " + stopped
	}
	return a, nil
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
