package driver

import (
	"fmt"
	"slices"
	"testing"

	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// numbered returns n invocations that are measured in so many launches.
func numbered(n, launches int) *plan.Plan {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("f%d", i))
	}
	return spreadPlan(launches, names...)
}

// Invocations are measured eight at a time, launch by launch. Each round of launches has an order of its own, and the
// next eight follow when all have enough.
func TestWindow(t *testing.T) {
	const n, launches, together = 20, 4, 8
	type launch struct {
		name   string
		number int
	}
	var made []launch
	p := &puppet{play: func(m *wire.Execute) *invocations.Result {
		made = append(made, launch{m.Name, m.Number})
		return quick(m)
	}}
	outcome, err := Execute(t.Context(), numbered(n, launches), Execution{Executor: p, Seed: 3})
	if err != nil || outcome.Records.Len() != n || len(made) != n*launches {
		t.Fatalf("%d records, %d launches, %v", outcome.Records.Len(), len(made), err)
	}
	orders := map[string]bool{}
	for some := range slices.Chunk(made, together*launches) {
		width := len(some) / launches
		var first []string
		for number := range launches {
			var names []string
			for _, one := range some[number*width : (number+1)*width] {
				if names = append(names, one.name); one.number != number {
					t.Errorf("launch %d of %s is made in round %d", one.number, one.name, number)
				}
			}
			orders[fmt.Sprint(names)] = true
			slices.Sort(names)
			if first == nil {
				first = names
			}
			if !slices.Equal(names, first) || len(slices.Compact(names)) != width {
				t.Errorf("round %d is of %v, the first one of %v", number, names, first)
			}
		}
	}
	if len(orders) < 3*launches-1 {
		t.Errorf("%d rounds have %d orders", 3*launches, len(orders))
	}
}

// Invocations that are called once share an executor. What is launched after them has another one. A pinned executor
// cannot serve what may run on all CPUs.
func TestCalledOnce(t *testing.T) {
	for _, c := range []struct {
		name      string
		edit      func(i int, m *invocations.Measure)
		executors int
	}{
		{"all", func(_ int, m *invocations.Measure) { m.CheckOnly = true }, 1},
		{"all, pinned", func(_ int, m *invocations.Measure) { m.CheckOnly, m.CPU = true, 2 }, 1},
		{"one is launched", func(i int, m *invocations.Measure) {
			if m.CheckOnly = i != 3; i == 3 {
				m.Launches = 2
			}
		}, 3},
	} {
		plan := planOf("a", "b", "c", "d")
		for i, p := range plan.All() {
			p.Invocation.Measure = invocations.Measure{CPU: -1}
			c.edit(i, &p.Invocation.Measure)
			plan.Set(i, p)
		}
		asked := map[string]int{}
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			asked[m.Name]++
			if !m.Last || m.Measure.CheckOnly && m.Number != 0 {
				t.Errorf("%s: %+v", c.name, m)
			}
			r := fitting(m)
			return &r
		}}
		outcome, err := Execute(t.Context(), plan, Execution{Executor: p})
		if err != nil || outcome.Records.Len() != plan.Len() || outcome.Executors != c.executors {
			t.Errorf("%s: %d records, %d executors, want %d; %v", c.name, outcome.Records.Len(), outcome.Executors,
				c.executors, err)
		}
		for _, r := range recordstest.All(t, outcome.Records) {
			launches := map[bool]int{true: 1, false: 2}[r.Name != "d" || c.executors == 1]
			if r.Status != invocations.OK || asked[r.Name] != launches || r.MedianNS != nil != (launches == 2) {
				t.Errorf("%s: %s is %s after %d calls", c.name, r.Name, r.Status, asked[r.Name])
			}
		}
	}
}

// What shall not run and what is finished is not launched, and has its place in the results.
func TestRefused(t *testing.T) {
	plan := numbered(3, 1)
	for i, verdict := range []invocations.Status{invocations.Skipped, "", invocations.Failed} {
		p := plan.At(i)
		p.Verdict, p.Reason = verdict, "it is so"
		plan.Set(i, p)
	}
	var told []string
	p := &puppet{play: quick}
	outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Progress: func(p Progress) {
		if p.Record != nil {
			told = append(told, fmt.Sprintf("%s %s %d/%d", p.Record.Name, p.Record.Status, p.Finished, p.Total))
		}
	}})
	if want := []string{"f0 skipped 1/3", "f2 failed 2/3", "f1 ok 3/3"}; err != nil || !slices.Equal(told, want) ||
		outcome.Executors != 1 || recordstest.At(t, outcome.Records, 2).Error != "it is so" {
		t.Errorf("told %q, want %q; %d executors, %v", told, want, outcome.Executors, err)
	}
}
