package driver

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// at plays launches of a host that takes so long, give or take a thousandth from launch to launch.
func at(ns float64) func(*wire.Execute) *invocations.Result {
	return func(m *wire.Execute) *invocations.Result {
		r := *quick(m)
		r.SamplesNS = slices.Clone(r.SamplesNS)
		for i := range r.SamplesNS {
			r.SamplesNS[i] *= ns / 10 * (1 + 0.001*float64(m.Number%3-1))
		}
		return &r
	}
}

// spreadPlan has invocations without a group, of so many launches.
func spreadPlan(launches int, names ...string) *plan.Plan {
	plan := planOf(names...)
	for i, p := range plan.All() {
		p.Invocation.Measure = invocations.Measure{CPU: -1, Launches: launches}
		plan.Set(i, p)
	}
	return plan
}

// Each host measures everything. The result has the launches of all hosts, an interval that holds those of each, and the
// variance between them; the journal has one line for each invocation.
func TestSpreadOverHosts(t *testing.T) {
	plan := spreadPlan(4, "f", "g")
	a, b, c := newGhost("a", "x", at(1000)), newGhost("b", "x", at(1400)), newGhost("c", "x", at(1200))
	path := filepath.Join(t.TempDir(), "j")
	parts := map[string][]string{} // hosts by invocation
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(a, b, c), Spread: true,
		Journal: JournalFile{Path: path}, Part: func(host, position int, r *invocations.Record) {
			if r.Host != []string{"a", "b", "c"}[host] || r.Name != plan.At(position).Invocation.Name || *r.Launches != 4 {
				t.Errorf("part of host %d, invocation %d: %s of %s, %d launches", host, position, r.Name, r.Host, *r.Launches)
			}
			parts[r.Name] = append(parts[r.Name], r.Host)
		}})
	if len(parts["f"]) != 3 || len(parts["g"]) != 3 {
		t.Errorf("parts %v", parts)
	}
	if err != nil || outcome.Records.Len() != 2 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for _, g := range []*ghost{a, b, c} {
		if g.executed["f"] != 4 || g.executed["g"] != 4 {
			t.Errorf("%s has executed %v", g.host.Name, g.executed)
		}
	}
	j, err := journal.ReadFile(path)
	if err != nil || len(j.Duplicates) > 0 || j.Records.Len() != 2 {
		t.Fatalf("journal: %d records, several %v, %v", j.Records.Len(), j.Duplicates, err)
	}
	r := recordstest.At(t, j.Records, 0)
	if r.HostNames() != "a b c" || r.Host != "" || *r.Launches != 12 || len(r.LaunchMediansNS) != 12 ||
		len(r.MergedSamples) != 12 || !slices.Equal(r.LaunchNumbers, []int{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}) {
		t.Errorf("%s: hosts %q, launches %v of %v, %v", r.Name, r.HostNames(), r.LaunchNumbers, r.LaunchMediansNS,
			r.MergedSamples)
	}
	if !slices.Equal(r.Verdicts, []invocations.Verdict{invocations.HostsDiffer}) || len(r.Notes) == 0 ||
		!strings.Contains(strings.Join(r.Notes, "\n"), "its hosts differ: a 999.5 ns") {
		t.Errorf("verdicts %v, notes %q", r.Verdicts, r.Notes)
	}
	// The medians of hosts lie 200 apart, the launches of a host 1.
	if *r.BetweenHostsNS < 199 || *r.BetweenHostsNS > 201 || *r.BetweenNS > 2 {
		t.Errorf("between hosts %v, between launches %v", *r.BetweenHostsNS, *r.BetweenNS)
	}
	for _, h := range r.Hosts {
		i := h.Interval()
		if *h.Launches != 4 || h.Status != invocations.OK || i.Low < *r.CILowNS || i.High > *r.CIHighNS {
			t.Errorf("%+v is not within %v to %v", h, *r.CILowNS, *r.CIHighNS)
		}
	}
	if h, longer, known := r.SlowestHost(); !known || h.Host != "b" || !(longer > 0.16 && longer < 0.17) {
		t.Errorf("slowest: %s by %v", h.Host, longer)
	}
}

// Hosts that are equal within what launches tell are not said to differ.
func TestSpreadEqualHosts(t *testing.T) {
	outcome, err := Execute(t.Context(), spreadPlan(5, "f"), Execution{Spread: true,
		Hosts: hostsOf(newGhost("a", "x", at(10)), newGhost("b", "x", at(10)))})
	if err != nil {
		t.Fatal(err)
	}
	r := recordstest.At(t, outcome.Records, 0)
	if slices.Contains(r.Verdicts, invocations.HostsDiffer) || *r.BetweenHostsNS != 0 {
		t.Errorf("verdicts %v, between hosts %v", r.Verdicts, *r.BetweenHostsNS)
	}
}

// A host that is lost and comes back measures what it had not finished. A failure on one host is the result, with its
// name. What is called once has a result as well.
func TestSpreadLosses(t *testing.T) {
	lost := false
	b := newGhost("b", "x", func(m *wire.Execute) *invocations.Result {
		switch {
		case m.Name == "g" && !lost:
			lost = true
			return nil
		case m.Name == "bad":
			return &invocations.Result{Status: invocations.Failed, Error: "no such symbol"}
		case m.Measure.CheckOnly:
			return &invocations.Result{Status: invocations.OK,
				Calling: invocations.Calling{Stop: invocations.StopCheck}, Notes: []string{"checked"}}
		}
		return at(10)(m)
	})
	a := newGhost("a", "x", func(m *wire.Execute) *invocations.Result {
		if m.Measure.CheckOnly {
			return &invocations.Result{Status: invocations.OK,
				Calling: invocations.Calling{Stop: invocations.StopCheck}}
		}
		return at(10)(m)
	})
	plan := spreadPlan(2, "f", "g", "bad", "once")
	once := plan.At(3)
	once.Invocation.Measure.CheckOnly = true
	plan.Set(3, once)
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(a, b), Spread: true})
	if err != nil || outcome.Records.Len() != 4 || !lost {
		t.Fatalf("%d records, lost %t, %v", outcome.Records.Len(), lost, err)
	}
	f, g, bad, checked := recordstest.At(t, outcome.Records, 0), recordstest.At(t, outcome.Records, 1), recordstest.At(t, outcome.Records, 2), recordstest.At(t, outcome.Records, 3)
	if f.Status != invocations.OK || g.Status != invocations.OK || *g.Launches != 4 {
		t.Errorf("f %s, g %s, %d launches", f.Status, g.Status, *g.Launches)
	}
	if bad.Status != invocations.Failed || bad.Error != "on host b: no such symbol" || len(bad.Hosts) != 2 ||
		bad.Hosts[0].Status != invocations.OK || bad.Hosts[1].Error != "no such symbol" || bad.Timed() {
		t.Errorf("%s %q, hosts %+v", bad.Status, bad.Error, bad.Hosts)
	}
	if checked.Status != invocations.OK || checked.Timed() || !slices.Contains(checked.Notes, "b: checked") {
		t.Errorf("%s, notes %q", checked.Status, checked.Notes)
	}
}

// Without one of its hosts the run ends, and says so. It goes on when the host is back.
func TestSpreadHostGone(t *testing.T) {
	gone := true
	b := newGhost("b", "x", func(m *wire.Execute) *invocations.Result {
		if m.Name == "g" && gone {
			return nil
		}
		return at(10)(m)
	})
	b.host.Reconnect = func(context.Context) error { return errors.New("no route") }
	path := filepath.Join(t.TempDir(), "j")
	e := Execution{Hosts: hostsOf(newGhost("a", "x", at(10)), b), Spread: true, Journal: JournalFile{Path: path}}
	plan := spreadPlan(1, "f", "g", "h")
	_, err := Execute(t.Context(), plan, e)
	if err == nil || !strings.Contains(err.Error(), "host b is gone, and --spread measures on all hosts") {
		t.Errorf("%v", err)
	}
	gone, e.Journal.Resume = false, true
	outcome, err := Execute(t.Context(), plan, e)
	if err != nil || outcome.Records.Len() != 3 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	for _, r := range recordstest.All(t, outcome.Records) {
		if len(r.Hosts) != 2 || r.Status != invocations.OK {
			t.Errorf("%s: %s, hosts %+v", r.Name, r.Status, r.Hosts)
		}
	}
}

// A host that is far ahead of another one waits, and the slowest never does.
func TestSpreadAhead(t *testing.T) {
	s := newSpreading(hostsOf(newGhost("a", "x", quick), newGhost("b", "x", quick)))
	for i := range aheadMost + 1 {
		if s.ahead(0) {
			t.Fatalf("a waits with %d results", i)
		}
		s.parts[i] = []*invocations.Result{{}, nil}
		s.count[0]++
	}
	if !s.ahead(0) || s.ahead(1) {
		t.Errorf("a waits: %t, b waits: %t", s.ahead(0), s.ahead(1))
	}
}

// A host that is to wait for another one is assigned nothing.
func TestAssignedAhead(t *testing.T) {
	plan := spreadPlan(1, "f", "g")
	hosts := hostsOf(newGhost("a", "x", quick), newGhost("b", "x", quick))
	f := newFleet(&session{Execution: Execution{Hosts: hosts, Spread: true}, plan: plan}, nil)
	f.enqueue()
	for i := range aheadMost + 1 {
		f.recorder.spread.add(0, plan.Len()+i, &invocations.Result{})
	}
	if f.assign(f.members[0]) || !f.assign(f.members[1]) {
		t.Error("a is assigned something, or b nothing")
	}
}

// Of what several hosts measure, no more is kept than of one: each has its share. The number of calls is that of all.
func TestSpreadIsBounded(t *testing.T) {
	const mostSamples = 100_000 // of a result
	many := func(m *wire.Execute) *invocations.Result {
		r := *quick(m)
		r.SamplesNS, r.CPUSamplesNS, r.CyclesSamples = make([]float64, mostSamples/2), nil, nil
		for i := range r.SamplesNS {
			r.SamplesNS[i] = 1 + 0.001*float64(i%10)
		}
		r.Iterations = int64(len(r.SamplesNS))
		return &r
	}
	hosts := hostsOf(newGhost("a", "x", many), newGhost("b", "x", many), newGhost("c", "x", many))
	outcome, err := Execute(t.Context(), spreadPlan(1, "f"), Execution{Hosts: hosts, Spread: true})
	if err != nil || outcome.Records.Len() != 1 {
		t.Fatal(err)
	}
	r := recordstest.At(t, outcome.Records, 0)
	if n := len(r.SamplesNS); r.Status != invocations.OK || n > mostSamples || n < mostSamples/2 || len(r.MergedNS()) != 3 {
		t.Errorf("%s, %d samples of %d launches", r.Status, n, len(r.MergedNS()))
	}
	if n := int64(mostSamples / 2); *r.Iterations != 3*n || !slices.Equal(r.MergedIterations, []int64{n, n, n}) {
		t.Errorf("%d calls, of launches %d", *r.Iterations, r.MergedIterations)
	}
}
