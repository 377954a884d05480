package driver

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/executors"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
	"zonemark/invocations/wire/wiretest"
)

// puppet is an executor in this process. It answers each Execute as play tells, and dies if play returns nil.
type puppet struct {
	play   func(*wire.Execute) *invocations.Result
	phase  func(*wire.Execute) string // in which it plays, empty: before any; nil: "trace"
	exits  []executors.Exit           // of its processes in the order of their starts; SIGSEGV of others
	hello  wire.Hello                 // what it says of itself
	starts int
	mu     sync.Mutex // of starts
}

func (p *puppet) Start(executors.Allowance) (*executors.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	exit := executors.Exit{Signal: "SIGSEGV"}
	if p.starts < len(p.exits) {
		exit = p.exits[p.starts]
	}
	p.starts++
	c := (&wiretest.Player{Hello: p.hello, Play: p.play, Phase: p.phase}).Connect()
	return &executors.Process{To: c.To, From: c.From, Kill: c.End, DiscardOutput: func() {},
		Wait: func() executors.Exit { <-c.Ended; return exit }}, nil
}

func planOf(names ...string) *plan.Plan {
	whole := &plan.Plan{}
	for i, name := range names {
		whole.Add(plan.Entry{Invocation: invocations.Invocation{ID: fmt.Sprintf("%016x", i), Name: name}})
	}
	return whole
}

func TestTracePass(t *testing.T) {
	var traced []string
	executor := &puppet{play: func(m *wire.Execute) *invocations.Result {
		if m.TraceCalls != 7 || !m.Last {
			t.Errorf("%s: asked for %d traced calls, last %v", m.Name, m.TraceCalls, m.Last)
		}
		traced = append(traced, m.Name+" with "+m.Artifact.Options["provider"])
		switch m.Name {
		case "dies":
			return nil
		case "refuses":
			return &invocations.Result{Status: invocations.Skipped, Error: "no client"}
		case "records":
			r := &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Iterations: 7},
				Notes: []string{"by a tool"},
				Profile: invocations.Profile{
					Source: invocations.ByProfiler, CallNS: 9, HostNS: 2, GapNS: 1,
					Dispatches: []invocations.Dispatch{{Name: "d", Count: 7, MedianNS: 6}}}}
			r.AddVerdict(invocations.PartialTrace)
			return r
		}
		return &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Iterations: 7}}
	}}
	plan := planOf("good", "dies", "refuses", "skipped", "done", "good as well", "records")
	skipped := plan.At(3)
	skipped.Verdict = invocations.Skipped
	plan.Set(3, skipped)
	pass := &TracePass{Executor: executor, Calls: 7,
		Adapt: func(inv *invocations.Invocation) { inv.SetOption("provider", "python") }}
	path := filepath.Join(t.TempDir(), "j.ndjson")
	earlier := planOf("done")
	earlier.Set(0, plan.At(4))
	if _, err := Execute(t.Context(), earlier, Execution{Executor: &puppet{play: quick}, Journal: JournalFile{Path: path}}); err != nil {
		t.Fatal(err)
	}
	written, done, err := journal.Resume(t.Context(), path, journal.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close(false)
	attempts, err := pass.Run(context.Background(), plan, done)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{ // after a death in an executor that others had used, one more try in a fresh one
		"good with python", "dies with python", "dies with python", "refuses with python",
		"good as well with python", "records with python",
	}
	if !slices.Equal(traced, want) {
		t.Errorf("traced %q, want %q", traced, want)
	}
	if executor.starts != 3 {
		t.Errorf("%d executors were started, want one more after each death", executor.starts)
	}
	of := func(i int) Attempt { return attempts[plan.At(i).Invocation.ID] }
	if len(attempts) != 5 || of(0) != (Attempt{Calls: 7}) ||
		!strings.Contains(of(1).Reason, "SIGSEGV in phase trace") || of(2).Reason != "skipped: no client" {
		t.Errorf("attempts: %+v", attempts)
	}
	if p := of(6).Profile; p == nil || p.Source != "profile" || p.CallNS != 9 || p.HostNS != 2 || p.GapNS != 1 ||
		!p.Partial || len(p.Dispatches) != 1 || !slices.Equal(p.Notes, []string{"by a tool"}) {
		t.Errorf("what an executor recorded: %+v", p)
	}
	for i := range plan.Len() {
		if plan.At(i).Invocation.Artifact.Options != nil {
			t.Errorf("%s: the plan itself was adapted", plan.At(i).Invocation.Name)
		}
	}
}

// The record of a measured invocation has the results of the traced pass and the overhead of tracing. A record that did
// not end well has none of them.
func TestTracedResults(t *testing.T) {
	executor := &puppet{play: func(m *wire.Execute) *invocations.Result {
		r := &invocations.Result{Status: invocations.OK,
			Batches: invocations.Batches{SamplesNS: []float64{100, 100, 100}},
			Calling: invocations.Calling{CallsPerBatch: 1, Iterations: 3}, Number: m.Number,
			Verdicts: []invocations.Verdict{invocations.Clean}}
		r.Summary = stats.Summarize(r.SamplesNS, nil)
		if m.Name == "mismatch" {
			r = &invocations.Result{Status: invocations.Mismatch, Number: m.Number}
		}
		return r
	}}
	all := planOf("whole", "partial", "mismatch", "untraced")
	found := invocations.Profile{Source: "tracy", CallNS: 150, HostNS: 30, GapNS: 20,
		Dispatches: []invocations.Dispatch{{Name: "d", Count: 45, MedianNS: 100, MinNS: 90, TotalNS: 4600}}}
	partial := found
	partial.Partial = true
	traced := map[string]invocations.Profile{}
	for i, what := range []invocations.Profile{found, partial, found, {Notes: []string{"no dispatches: …"}, Partial: true}} {
		traced[all.At(i).Invocation.ID] = what
	}
	pass := func(context.Context, *plan.Plan, *journal.Done) (map[string]invocations.Profile, error) {
		return traced, nil
	}
	outcome, err := Execute(t.Context(), all, Execution{Executor: executor, Passes: []DispatchPass{pass}})
	if err != nil {
		t.Fatal(err)
	}
	whole := recordstest.At(t, outcome.Records, 0)
	if len(whole.Dispatches) != 1 || *whole.TracedNS != 150 || *whole.TraceOverheadNS != 50 ||
		*whole.TraceOverheadPercent != 50 || *whole.HostNS+*whole.GapNS != 50 {
		t.Errorf("%+v", whole)
	}
	if r := recordstest.At(t, outcome.Records, 1); !slices.Equal(r.Verdicts, []invocations.Verdict{invocations.PartialTrace}) {
		t.Errorf("verdicts of a partial trace: %v", r.Verdicts)
	}
	if r := recordstest.At(t, outcome.Records, 2); r.Dispatches != nil || r.DispatchSource != "" {
		t.Errorf("a mismatch has dispatches: %+v", r)
	}
	if r := recordstest.At(t, outcome.Records, 3); r.DispatchSource != "" || !slices.Contains(r.Notes, "no dispatches: …") ||
		!slices.Equal(r.Verdicts, []invocations.Verdict{invocations.PartialTrace}) {
		t.Errorf("untraced: %+v", r)
	}
}
