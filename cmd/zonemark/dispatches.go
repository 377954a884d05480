package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver"
	"zonemark/driver/report"
	"zonemark/driver/stats"
	"zonemark/invocations"
	"zonemark/trace"
	"zonemark/trace/correlate"
)

const (
	profiledCalls = 50
	tracedCalls   = 1000 // at most
	tracedWarmup  = 5    // of them, that summaries leave out

	captureBytes = 4 << 30 // memory of the capture tool
	captureTime  = 30 * time.Minute
)

// settleDispatches checks the flags about dispatches against each other.
func (f *measureFlags) settleDispatches() error {
	kept := ""
	switch {
	case f.traceFile != "":
		kept = "--trace-file"
		if f.dispatches == runtimes.SourceOff || f.dispatches == runtimes.SourceProfile {
			return fmt.Errorf("%s needs a capture; leave out --dispatches %s, or say --dispatches tracy", kept, f.dispatches)
		}
		f.dispatches = runtimes.SourceTracy
	case f.dispatchFile != "":
		kept = "--dispatch-csv"
		if f.dispatches == runtimes.SourceOff {
			return fmt.Errorf("%s needs dispatches; leave out --dispatches %s", kept, f.dispatches)
		}
	default:
		return nil
	}
	if f.inv.Measure.CheckOnly {
		return fmt.Errorf("%s and --check: a check measures nothing and traces nothing; leave one of them out", kept)
	}
	return nil
}

// dispatchPasses are what is to be done beside the measuring to time dispatches.
type dispatchPasses struct {
	traced   bool            // there are invocations to be traced, and marked
	recorded map[string]bool // invocations that a tool of their runtime is to profile, by id
}

// dispatchPlan decides, for each invocation, where its dispatches come from, and enters it into the plan. The error is
// for a source that was asked for and that no invocation has.
func (m *measurement) dispatchPlan(plan *driver.Plan) (dispatchPasses, error) {
	passes := dispatchPasses{recorded: map[string]bool{}}
	if m.dispatches == runtimes.SourceOff || m.inv.Measure.CheckOnly {
		return passes, nil
	}
	table, wish := m.program.Runtimes, runtimes.Wish{Source: m.dispatches, EachCall: m.dispatchFile != ""}
	planned := false
	for i := range plan.List {
		inv := &plan.List[i].Invocation
		if plan.List[i].Verdict != "" || inv.Measure.CheckOnly {
			continue
		}
		pass := table.Pass(wish, inv, m.variables.Lookup)
		switch pass {
		case runtimes.InExecutor:
			inv.Measure.ProfileCalls = profiledCalls
		case runtimes.Captured:
			inv.Trace, passes.traced = true, true
		case runtimes.Recorded:
			passes.recorded[inv.ID] = true
		}
		planned = planned || pass != runtimes.NoPass
	}
	if planned || len(plan.List) == 0 {
		return passes, nil
	}
	return passes, table.Unserved(wish)
}

// recordPass has the tools of the runtimes profile the invocations that are to be recorded, and says what was found, by id. What fails in it is a note of the result; an
// error is the context's.
func (m *measurement) recordPass(ctx context.Context, plan *driver.Plan, recorded map[string]bool, done map[string]invocations.Record, scratch string, line *cli.ProgressLine) (map[string]invocations.Profile, error) {
	part := &driver.Plan{}
	for _, p := range plan.List {
		if recorded[p.Invocation.ID] {
			part.List = append(part.List, p)
		}
	}
	starter := hosting.NewRecorder(m.hosting(m.variables, scratch))
	defer starter.Close()
	pass := &driver.TracePass{Executor: starter, Build: cli.Version(), Calls: profiledCalls, Progress: showProgress(line)}
	attempts, err := pass.Run(ctx, part, done)
	line.Clear()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := map[string]invocations.Profile{}
	for _, p := range part.List {
		id := p.Invocation.ID
		if _, finished := done[id]; finished {
			continue
		}
		attempt := attempts[id]
		switch {
		case attempt.Profile != nil:
			found[id] = *attempt.Profile
			continue
		case attempt.Reason == "" && err != nil: // no executor that records can be started: the times can still be measured
			attempt.Reason = err.Error()
		}
		found[id] = invocations.Profile{Notes: []string{"no dispatches: the profiled pass failed: " + attempt.Reason}}
	}
	return found, nil
}

// tracePass runs the invocations that are to be traced in executors that are captured, and says what was found, by id. What fails in it is a note of the
// result; an error is the context's, or that a file which the user asked for cannot be written.
func (m *measurement) tracePass(ctx context.Context, plan *driver.Plan, done map[string]invocations.Record, scratch string, line *cli.ProgressLine) (map[string]invocations.Profile, error) {
	part := &driver.Plan{}
	known := map[string]string{}
	for _, p := range plan.List {
		if _, finished := done[p.Invocation.ID]; p.Invocation.Trace && !finished {
			part.List = append(part.List, p)
			known[p.Invocation.ID] = p.Invocation.Name
		}
	}
	if len(part.List) == 0 { // a resumed run that has all: what was written stays
		return nil, nil
	}
	output := filepath.Join(scratch, "trace.tracy")
	if m.traceFile != "" {
		output = m.captureOutput()
	}
	environment, sites := m.program.Runtimes.Capturing(m.variables.Lookup, runtimesOf(part)...)
	starter := hosting.NewTracer(m.hosting(m.variables, scratch), hosting.CaptureOptions{
		Sites: sites, Output: output, MaxBytes: captureBytes, MaxDuration: captureTime, Environment: environment,
	})
	pass := &driver.TracePass{Executor: starter, Build: cli.Version(), Calls: tracedCalls, Adapt: m.program.Runtimes.Adapt, Progress: showProgress(line)}
	attempts, err := pass.Run(ctx, part, nil)
	starter.Close()
	line.Clear()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := map[string]invocations.Profile{}
	why := ""
	if err != nil { // no captured executor can be started: the times can still be measured
		why = err.Error()
	}
	calls := map[string]int64{}
	for id, attempt := range attempts {
		if attempt.Reason == "" {
			calls[id] = attempt.Calls
		}
	}
	all := &correlate.Result{}
	for _, captured := range starter.Captures() {
		if problem := m.correlate(captured, known, calls, all); problem != "" {
			why = problem
		}
	}
	if m.traceFile != "" && !slices.ContainsFunc(starter.Captures(), func(c hosting.Capture) bool { return c.Bytes > 0 }) {
		m.uncaptured = cmp.Or(why, "no executor was captured")
	}
	for i := range all.Invocations {
		inv := &all.Invocations[i]
		found[inv.ID] = tracedOf(inv, attempts[inv.ID])
	}
	for id := range known {
		if _, ok := found[id]; ok {
			continue
		}
		reason := attempts[id].Reason
		if reason == "" {
			reason = why
		}
		if reason == "" {
			reason = "the capture holds no zone of it"
		}
		found[id] = invocations.Profile{Notes: []string{"no dispatches: the traced pass failed: " + reason}}
	}
	if m.dispatchFile != "" { // a resumed run keeps the rows of what it has not traced
		if err := m.replaceDispatchRows(all.Rows(), known, m.resume); err != nil {
			return found, err
		}
	}
	return found, nil
}

// correlate joins the zones of a capture to the invocations and adds them to all. It returns what went wrong with the whole capture.
func (m *measurement) correlate(captured hosting.Capture, known map[string]string, calls map[string]int64, all *correlate.Result) (problem string) {
	for _, warning := range captured.Warnings {
		m.note("capture: %s", warning)
	}
	if captured.Notice != "" {
		m.note("%s", captured.Notice)
	}
	if captured.Error != "" {
		return captured.Error
	}
	f, err := trace.Open(captured.Path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	c, err := correlate.Join(f, correlate.Options{Known: known, Calls: calls, WarmupIterations: tracedWarmup})
	if err != nil {
		return err.Error()
	}
	for _, inv := range c.Invocations {
		if known[inv.ID] != "" {
			all.Invocations = append(all.Invocations, inv)
		}
	}
	if m.traceFile != "" {
		m.note("%s: %s in %s", captured.Path, report.Counted(int(c.Zones), "zone"), report.Counted(len(c.Invocations), "invocation"))
	}
	return ""
}

// tracedOf is what a capture says of an invocation.
func tracedOf(inv *correlate.Invocation, attempt driver.Attempt) invocations.Profile {
	t := invocations.Profile{Dispatches: inv.Dispatches, HostNS: inv.HostNS, GapNS: inv.GapNS, Source: invocations.ByTracy,
		Partial: inv.Verdict == invocations.PartialTrace, Contended: inv.Verdict == invocations.Contended}
	var calls, unexplained []float64
	for i := range inv.Iterations {
		it := &inv.Iterations[i]
		if !it.Warmup || len(inv.Iterations) <= tracedWarmup {
			calls, unexplained = append(calls, float64(it.BracketNS)), append(unexplained, float64(it.UnexplainedNS))
		}
	}
	t.CallNS, t.UnexplainedNS = stats.Median(calls), stats.Median(unexplained)
	if missing := attempt.Calls - int64(len(inv.Iterations)); attempt.Reason == "" && missing > 0 {
		t.Partial = true
		t.Notes = append(t.Notes, fmt.Sprintf("its trace is not whole: %d of %d calls are missing in the capture", missing, attempt.Calls))
	} else if t.Partial {
		t.Notes = append(t.Notes, "its trace is not whole: "+inv.Flags.String())
	}
	return t
}

// runtimesOf returns the names of the runtimes of a plan, each once.
func runtimesOf(plan *driver.Plan) (names []string) {
	for _, p := range plan.List {
		if !slices.Contains(names, p.Invocation.Runtime) {
			names = append(names, p.Invocation.Runtime)
		}
	}
	return names
}
