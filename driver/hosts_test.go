package driver

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/executors"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// ghost is a made-up host. Its executors play, and with nil from play the connection to it is lost.
type ghost struct {
	puppet
	host     *Host
	mu       sync.Mutex
	executed map[string]int // launches, by name
}

// newGhost returns a host with a processor. It comes back after each loss.
func newGhost(name, cpu string, play func(*wire.Execute) *invocations.Result) *ghost {
	g := &ghost{executed: map[string]int{}}
	g.play = func(m *wire.Execute) *invocations.Result {
		g.mu.Lock()
		g.executed[m.Name]++
		g.mu.Unlock()
		return play(m)
	}
	g.host = &Host{Name: name, Environment: map[string]string{"host": name, "cpu": cpu}, Executor: g, Emulator: g,
		Reconnect: func(context.Context) error { return nil }}
	return g
}

func (g *ghost) Start(allowed executors.Allowance) (*executors.Process, error) {
	p, err := g.puppet.Start(allowed)
	if err == nil {
		p.Wait = func() executors.Exit { return executors.Exit{Lost: "the cable of " + g.host.Name + " is cut"} }
	}
	return p, err
}

func hostsOf(ghosts ...*ghost) (list []*Host) {
	for _, g := range ghosts {
		list = append(list, g.host)
	}
	return list
}

// variantsPlan has groups of variants, named g0v0, g0v1, …, that are measured in one launch.
func variantsPlan(groups, variants int) *plan.Plan {
	whole := &plan.Plan{}
	for g := range groups {
		for v := range variants {
			whole.Add(plan.Entry{Invocation: invocations.Invocation{
				ID: fmt.Sprintf("%08x%08x", g, v), Name: fmt.Sprintf("g%dv%d", g, v), Group: fmt.Sprint("g", g),
				Measure: invocations.Measure{CPU: -1, Launches: 1},
			}})
		}
	}
	return whole
}

// Variants that are compared are measured on one host, though two hosts that are not equal share the work.
func TestGroupsStayOnOneHost(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	play := func() func(m *wire.Execute) *invocations.Result {
		var once sync.Once
		return func(m *wire.Execute) *invocations.Result {
			once.Do(func() { both.Done(); both.Wait() }) // so that each host has some
			return quick(m)
		}
	}
	plan := variantsPlan(12, 3)
	a, b := newGhost("a", "fast", play()), newGhost("b", "slow", play())
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(a, b)})
	if err != nil || outcome.Records.Len() != plan.Len() || len(a.executed) == 0 || len(b.executed) == 0 {
		t.Fatalf("%v, %d records, on a %v, on b %v", err, outcome.Records.Len(), a.executed, b.executed)
	}
	of := map[string]string{} // host by group
	for _, r := range recordstest.All(t, outcome.Records) {
		if other, known := of[r.Group]; known && other != r.Host {
			t.Errorf("%s was measured on %s, another one of its group on %s", r.Name, r.Host, other)
		}
		of[r.Group] = r.Host
		if want := machine.Fingerprint(map[string]string{"host": r.Host,
			"cpu": map[string]string{"a": "fast", "b": "slow"}[r.Host]}); r.Machine != want {
			t.Errorf("%s: machine %q, want %q", r.Name, r.Machine, want)
		}
	}
}

// What an earlier run has measured of a group binds the rest to hosts of that kind.
func TestResumedGroupKeepsItsKind(t *testing.T) {
	whole := variantsPlan(2, 2)
	a, b := newGhost("a", "fast", quick), newGhost("b", "slow", quick)
	path := filepath.Join(t.TempDir(), "j")
	first := plan.NewPlan(*whole.At(0))
	if _, err := Execute(t.Context(), first, Execution{Hosts: hostsOf(a), Journal: JournalFile{Path: path}}); err != nil {
		t.Fatal(err)
	}
	again := Execution{Hosts: hostsOf(b), Journal: JournalFile{Path: path, Resume: true}}
	outcome, err := Execute(t.Context(), whole, again)
	if err == nil || !strings.Contains(err.Error(), "g0v1 is compared") || outcome.Records.Len() != 3 {
		t.Errorf("%d records, %v", outcome.Records.Len(), err)
	}
	again.Hosts = hostsOf(b, newGhost("c", "fast", quick))
	if outcome, err = Execute(t.Context(), whole, again); err != nil || recordstest.At(t, outcome.Records, 1).Host != "c" {
		t.Errorf("%v, %+v", err, recordstest.At(t, outcome.Records, 1))
	}
}

// An invocation during which hosts are lost twice is to blame. Others go on, and what was lost once is measured again.
func TestLostTwice(t *testing.T) {
	plan, lost := planOf("deadly", "unlucky", "other"), map[string]int{}
	for i, p := range plan.All() {
		p.Invocation.Measure = invocations.Measure{CPU: -1, Launches: 1}
		plan.Set(i, p)
	}
	g := newGhost("a", "fast", func(m *wire.Execute) *invocations.Result {
		if m.Name == "deadly" || m.Name == "unlucky" && lost[m.Name] == 0 {
			lost[m.Name]++
			return nil
		}
		return quick(m)
	})
	var notes []string
	outcome, err := Execute(t.Context(), plan, Execution{Hosts: hostsOf(g), Note: func(format string, args ...any) {
		notes = append(notes, fmt.Sprintf(format, args...))
	}})
	if err != nil || outcome.Records.Len() != 3 {
		t.Fatalf("%d records, %v\n%q", outcome.Records.Len(), err, notes)
	}
	deadly, unlucky, other := recordstest.At(t, outcome.Records, 0), recordstest.At(t, outcome.Records, 1), recordstest.At(t, outcome.Records, 2)
	const blamed = "2 hosts were lost while it ran; the last one: deadly: the cable of a is cut"
	if deadly.Status != invocations.Crashed || deadly.Error != blamed || deadly.Host != "a" || lost["deadly"] != 2 {
		t.Errorf("%s: %s (lost %d times)", deadly.Status, deadly.Error, lost["deadly"])
	}
	if unlucky.Status != invocations.OK || other.Status != invocations.OK || g.executed["other"] != 1 {
		t.Errorf("%s, %s, executed %v", unlucky.Status, other.Status, g.executed)
	}
	if text := strings.Join(notes, "\n"); strings.Count(text, "host a is back") != 3 {
		t.Errorf("notes:\n%s", text)
	}
}
