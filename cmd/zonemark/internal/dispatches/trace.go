package dispatches

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/trace"
	"zonemark/trace/correlate"
)

const tracedCalls = 1000 // at most

// tracePass runs the invocations that are to be traced in executors that are captured.
type tracePass struct {
	*Passes
	hosting   hosting.Options
	newTracer NewTracer
	line      *cli.ProgressLine
}

// captured holds the results of the captures of a pass.
type captured struct {
	names    map[string]string            // of the invocations that were to be traced, by id
	devices  map[string]string            // that run their dispatches, by id, if it is not the CPU
	nodes    map[string]map[string]string // by id: the nodes that dispatches were made of
	attempts map[string]driver.Attempt    // to make their calls, by id
	found    correlate.Result             // in all captures
	broken   bool                         // a capture is missing or not whole
	problem  string                       // with a complete capture, or with starting executors; empty if there is none
}

// run has the type driver.DispatchPass. A failure in it becomes a note of the result. An error is the context's, or is
// about a file that the user asked for and that cannot be written.
func (t *tracePass) run(ctx context.Context, whole *plan.Plan,
	done *journal.Done) (map[string]invocations.Profile, error) {
	part := &plan.Plan{}
	c := &captured{names: map[string]string{}, devices: map[string]string{}, nodes: map[string]map[string]string{}}
	for _, p := range whole.All() {
		if p.Invocation.Trace && !done.Has(p.Invocation.ID) {
			part.Add(*p)
			c.names[p.Invocation.ID] = p.Invocation.Name
			c.nodes[p.Invocation.ID] = t.options.Runtimes.Nodes(&p.Invocation)
			c.devices[p.Invocation.ID] = t.options.Runtimes.Device(&p.Invocation, t.hosting.Variables.Lookup)
		}
	}
	if part.Len() == 0 { // a resumed run has nothing to trace, and the files stay as they are
		return nil, nil
	}
	if err := t.capture(ctx, part, c); err != nil {
		return nil, err
	}
	found := c.traced()
	if t.options.CSVFile == "" {
		return found, nil
	}
	// A resumed run keeps the rows of invocations that it has not traced.
	return found, replaceRows(t.options.CSVFile, c.found.Rows(), c.names, t.options.Resume)
}

// capture makes the calls of a plan in captured executors, and adds the results of the captures to c. The error is the
// context's.
func (t *tracePass) capture(ctx context.Context, plan *plan.Plan, c *captured) (err error) {
	output := filepath.Join(t.hosting.Scratch, "trace.tracy")
	if t.options.TraceFile != "" {
		output = captureOutput(t.options.TraceFile, t.options.Resume)
	}
	newTracer := t.newTracer
	if newTracer == nil {
		newTracer = t.tracerHere
	}
	tracer := newTracer(output, plan.Runtimes())
	pass := &driver.TracePass{
		Executor: tracer, Build: cli.Version(), Words: cli.Remedy, Calls: tracedCalls, Adapt: t.options.Runtimes.Adapt,
		Progress: hosting.ShowProgress(t.line),
	}
	c.attempts, err = pass.Run(ctx, plan, nil)
	tracer.Close()
	t.line.Clear()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // no executor can be captured, but calls can still be measured
		c.problem = err.Error()
	}
	kept, noRoom := false, ""
	for _, one := range tracer.Captures() {
		kept = kept || one.Bytes > 0
		if one.NoRoom {
			noRoom = cmp.Or(noRoom, one.Error)
		}
		c.broken = c.broken || one.Partial || one.Error != ""
		c.problem = cmp.Or(t.correlate(one, c), c.problem)
	}
	if t.options.TraceFile != "" && (!kept || noRoom != "") {
		t.uncaptured = cmp.Or(noRoom, c.problem, "no executor was captured")
	}
	return nil
}

// tracerHere returns what starts captured executors on this machine.
func (t *tracePass) tracerHere(output string, runtimes []string) Tracer {
	environment, sites := t.options.Runtimes.Capturing(t.hosting.Variables.Lookup, runtimes...)
	return hosting.NewTracer(t.hosting, hosting.CaptureOptions{
		Sites: sites, Output: output, MaxBytes: hosting.MostCaptureBytes, MaxDuration: hosting.LongestCapture,
		Environment: environment,
	})
}

// correlate joins the zones of a capture to the invocations and adds them to c. It returns a problem of the whole
// capture, "" if there is none.
func (t *tracePass) correlate(one hosting.Capture, c *captured) (problem string) {
	for _, warning := range one.Warnings {
		t.options.note("capture: %s", warning)
	}
	if one.Notice != "" {
		t.options.note("%s", one.Notice)
	}
	if one.Error != "" {
		return one.Error
	}
	f, err := trace.Open(one.Path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	calls := map[string]int64{}
	for id, attempt := range c.attempts {
		if attempt.Reason == "" {
			calls[id] = attempt.Calls
		}
	}
	found, err := correlate.Join(f, correlate.Options{Known: c.names, Calls: calls, WarmupIterations: correlate.UsualWarmup})
	if err != nil {
		return err.Error()
	}
	for _, inv := range found.Invocations {
		if c.names[inv.ID] != "" {
			c.found.Invocations = append(c.found.Invocations, inv)
		}
	}
	if t.options.TraceFile != "" {
		t.options.note("%s: %s in %s", one.Path, report.Counted(int(found.Zones), "zone"),
			report.Counted(len(found.Invocations), "invocation"))
	}
	return ""
}

// traced returns the profiles by id. A profile without times says why it has none.
func (c *captured) traced() map[string]invocations.Profile {
	found := map[string]invocations.Profile{}
	for i := range c.found.Invocations {
		inv := &c.found.Invocations[i]
		profile := tracedOf(inv, c.attempts[inv.ID])
		profile.NameNodes(c.nodes[inv.ID])
		found[inv.ID] = profile
		if device := c.devices[inv.ID]; device != "" && len(inv.Dispatches) == 0 {
			found[inv.ID] = unavailable(device)
		}
	}
	for id := range c.names {
		if _, ok := found[id]; !ok {
			reason := cmp.Or(c.attempts[id].Reason, c.problem, "the capture holds no zone of it")
			found[id] = invocations.Profile{
				Notes:   []string{"no dispatches: the traced pass failed: " + reason},
				Partial: c.attempts[id].Killed || c.attempts[id].Reason == "" && c.broken,
			}
		}
	}
	return found
}

// unavailable returns the profile of calls whose capture is whole and shows nothing of the device that did the work.
func unavailable(device string) invocations.Profile {
	return invocations.Profile{Notes: []string{"no times of dispatches: they ran on device " + device +
		", and its driver does not hand their times to Tracy; the capture shows the host's side only"}}
}

// tracedOf returns the profile of an invocation in a capture.
func tracedOf(inv *correlate.Invocation, attempt driver.Attempt) invocations.Profile {
	t := invocations.Profile{Dispatches: inv.Dispatches, HostNS: inv.HostNS, GapNS: inv.GapNS,
		Source:    invocations.ByTracy,
		Partial:   inv.Verdict == invocations.PartialTrace,
		Contended: inv.Verdict == invocations.Contended || attempt.Contended,
		Made:      attempt.Calls, Quiet: attempt.Quiet}
	var calls, unexplained, device []float64
	for i := range inv.Iterations {
		it := &inv.Iterations[i]
		if !it.Warmup {
			calls, unexplained = append(calls, float64(it.BracketNS)), append(unexplained, float64(it.UnexplainedNS))
			device = append(device, float64(it.DeviceNS))
		}
	}
	if attempt.Note != "" {
		t.Notes = append(t.Notes, attempt.Note)
	}
	t.Calls = shownCalls(inv)
	t.CallNS, t.UnexplainedNS, t.DeviceNS = stats.Median(calls), stats.Median(unexplained), stats.Median(device)
	if missing := attempt.Calls - int64(len(inv.Iterations)); attempt.Reason == "" && missing > 0 {
		t.Partial = true
		t.Notes = append(t.Notes, fmt.Sprintf("its trace is not whole: %d of %d calls are missing in the capture",
			missing, attempt.Calls))
	} else if t.Partial {
		t.Notes = append(t.Notes, "its trace is not whole: "+inv.Flags.String())
	}
	return t
}

// shownCalls returns the call of median length and the longest one, of those after warm-up that are whole.
func shownCalls(inv *correlate.Invocation) (calls []invocations.TracedCallRecord) {
	var whole []*correlate.Iteration
	for i := range inv.Iterations {
		it := &inv.Iterations[i]
		if !it.Warmup && !it.Flags.PartialTrace() && len(it.Dispatches) > 0 {
			whole = append(whole, it)
		}
	}
	if len(whole) == 0 {
		return nil
	}
	slices.SortStableFunc(whole, func(a, b *correlate.Iteration) int { return cmp.Compare(a.BracketNS, b.BracketNS) })
	middle, last := (len(whole)-1)/2, len(whole)-1
	calls = append(calls, placed(whole[middle]))
	if last > middle {
		calls = append(calls, placed(whole[last]))
	}
	return calls
}

// placed returns a call with the places of its dispatches.
func placed(it *correlate.Iteration) invocations.TracedCallRecord {
	call := invocations.TracedCallRecord{Number: it.Number, NS: float64(it.BracketNS)}
	for i := range it.Dispatches {
		d := &it.Dispatches[i]
		call.Dispatches = append(call.Dispatches, invocations.PlacedDispatchRecord{
			Name: d.Name, StartNS: float64(d.StartNS - it.StartNS), WallNS: float64(d.WallNS),
		})
	}
	slices.SortStableFunc(call.Dispatches, func(a, b invocations.PlacedDispatchRecord) int {
		return cmp.Compare(a.StartNS, b.StartNS)
	})
	call.Dispatches = call.Dispatches[:min(len(call.Dispatches), invocations.MostPlaced)]
	return call
}
