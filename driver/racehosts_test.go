package driver

import (
	"fmt"
	"sync"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// Each race of a run is on one host. If the connection to it is lost, who was dropped stays so, and the others race again.
func TestRaceOnHosts(t *testing.T) {
	const variants = 20
	whole := raceOf(2 * variants)
	for i := variants; i < 2*variants; i++ {
		p := whole.At(i)
		p.Invocation.Name, p.Invocation.Group = fmt.Sprintf("v%d", i-variants), "other"
		whole.Set(i, p)
	}
	var mu sync.Mutex // of both players
	lost := false
	var both sync.WaitGroup
	both.Add(2)
	play := func() func(m *wire.Execute) *invocations.Result {
		var once sync.Once
		p := newRacing(steps, asPlayed)
		return func(m *wire.Execute) *invocations.Result {
			once.Do(func() { both.Done(); both.Wait() }) // so that each host has one
			mu.Lock()
			defer mu.Unlock()
			if m.Number == 3 && !lost {
				lost = true
				return nil
			}
			return p.play(m)
		}
	}
	a, b := newGhost("a", "fast", play()), newGhost("b", "slow", play())
	outcome, err := Execute(t.Context(), whole, Execution{Hosts: hostsOf(a, b), Note: func(string, ...any) {}})
	if err != nil || outcome.Records.Len() != whole.Len() || !lost {
		t.Fatalf("%v, %d records, lost: %t", err, outcome.Records.Len(), lost)
	}
	of := map[string]string{} // host by group
	for i, r := range recordstest.All(t, outcome.Records) {
		if other, known := of[r.Group]; known && other != r.Host {
			t.Errorf("%s of %s raced on %s, another one on %s", r.Name, r.Group, r.Host, other)
		}
		of[r.Group] = r.Host
		if best := i%variants == 0; (r.Dropped == nil) != best || r.Status != invocations.OK {
			t.Errorf("%s of %s: %s, %+v", r.Name, r.Group, r.Status, r.Dropped)
		}
	}
	if len(of) != 2 || of["g"] == of["other"] {
		t.Errorf("the races were on %v", of)
	}
}
