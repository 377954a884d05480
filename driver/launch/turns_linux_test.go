package launch

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// With steps, both sides are prepared, one after the other, and then have two turns at the same time, on one CPU.
func TestInSteps(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	met := make(chan struct{})
	p := &puppet{play: func(_ int, m *wire.Execute) *invocations.Result {
		mu.Lock()
		if m.Steps.Turn == 0 {
			seen = append(seen, fmt.Sprintf("%s prepared with %d calls on %d", m.Name, m.Measure.CallsPerBatch, m.Measure.CPU))
		} else {
			seen = append(seen, fmt.Sprintf("%s turn %d on %d: role %d, %d begins, %d ms of %d, last %t", m.Name, m.Steps.Turn,
				m.Measure.CPU, m.Steps.Role, m.Steps.First, m.Measure.MinTimeNS/1e6, m.Measure.MaxTimeNS/1e6, m.Last))
		}
		mu.Unlock()
		if m.Steps.Turn > 0 {
			select {
			case met <- struct{}{}:
			case <-met:
			case <-time.After(time.Minute):
				t.Error("the other side is not measured at the same time")
			}
		}
		r := works(m)
		r.CPU = 6
		return r
	}}
	o := orderOf(InTurns, "a", "b")
	o.First, o.Turns, o.Steps = 1, 8, true
	for k := range o.Sides {
		o.Sides[k].Before = combinetest.LaunchesOf(20_000)
	}
	a := workerOf(t, p).Make(t.Context(), o)
	if a.Err != nil || len(a.Results[0].Neighbours) != 8 || len(a.Results[1].Neighbours) != 8 {
		t.Fatalf("%+v", a)
	}
	slices.Sort(seen[2:4])
	slices.Sort(seen[4:])
	want := []string{
		"b prepared with 5 calls on -1", "a prepared with 5 calls on 5",
		"a turn 1 on 5: role 0, 1 begins, 4 ms of 12, last false", "b turn 1 on 5: role 1, 1 begins, 4 ms of 12, last false",
		"a turn 2 on 5: role 0, 0 begins, 4 ms of 12, last true", "b turn 2 on 5: role 1, 0 begins, 4 ms of 12, last true",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

// Executors that are lent memory change its parts after half of the turns, and leave them in time. Eight launches have
// the same memory.
func TestLend(t *testing.T) {
	const turns = 4
	parts := map[string][]int{}
	var mu sync.Mutex
	p := &puppet{play: func(_ int, m *wire.Execute) *invocations.Result {
		mu.Lock()
		defer mu.Unlock()
		if m.Measure.MinTimeNS > 0 {
			if parts[m.Name] = append(parts[m.Name], m.Part); m.Leave != (len(parts[m.Name])%turns == turns/2) {
				t.Errorf("%s, turn %d: it leaves its part: %t", m.Name, len(parts[m.Name]), m.Leave)
			}
		}
		r := works(m)
		r.CPU = 1
		return r
	}}
	w := workerOf(t, p)
	w.machine.HugePages = "always [madvise] never"
	lent := map[*executors.Exchange]int{}
	for range exchangeLaunches + 1 {
		o := orderOf(InTurns, "a", "b")
		o.Turns = turns
		for k := range o.Sides {
			o.Sides[k].Before = combinetest.LaunchesOf(1000)
			o.Sides[k].Before[0].SetBytes = exchangeLeast
		}
		if a := w.Make(t.Context(), o); a.Err != nil {
			t.Fatal(a.Err)
		}
		lent[w.exchange]++
	}
	for launch := range exchangeLaunches + 1 {
		a, b := parts["a"][turns*launch:][:turns], parts["b"][turns*launch:][:turns]
		if !slices.Equal(a, []int{1, 1, 2, 2}) || !slices.Equal(b, []int{2, 2, 1, 1}) {
			t.Errorf("launch %d: parts %v and %v", launch, a, b)
		}
	}
	if len(lent) != 2 || lent[w.exchange] != 1 || w.exchange.Bytes() < exchangeLeast {
		t.Errorf("lent: %v", lent)
	}
	for _, allowed := range p.started {
		if allowed.Exchange == nil {
			t.Errorf("an executor is lent nothing")
		}
	}
}
