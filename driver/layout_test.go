package driver

import (
	"testing"

	"zonemark/driver/plan"
	"zonemark/invocations"
)

// layouts returns those of some launches of a side.
func layouts(r *run, l *launched) (list []invocations.Measure) {
	l.Results = make([]invocations.Result, 1) // further launches ask the first one
	for launch := range 20 {
		p, _ := r.toLaunch(l, launch)
		list = append(list, invocations.Measure{
			PageOffset: p.Invocation.Measure.PageOffset, StackOffset: p.Invocation.Measure.StackOffset,
			Place: p.Invocation.Measure.Place,
		})
	}
	return list
}

// planned returns a run of two invocations.
func planned(first, second invocations.Measure) *run {
	one := func(name string, m invocations.Measure) plan.Entry {
		return plan.Entry{Invocation: invocations.Invocation{ID: name, Name: name, Measure: m}}
	}
	return &run{runner: &runner{}, plan: plan.NewPlan(one("a", first), one("b", second))}
}

func TestLayOut(t *testing.T) {
	r := planned(invocations.Measure{Seed: 5, Launches: 20, Placement: invocations.Vary},
		invocations.Measure{Seed: 6, Launches: 20, Placement: invocations.Fixed})
	vary, again := layouts(r, &launched{index: 0}), layouts(r, &launched{index: 0})
	places := map[uint64]bool{}
	for i, m := range vary {
		if m.PageOffset%invocations.LayoutStep != 0 || m.PageOffset < 0 || m.PageOffset >= invocations.PlacementPage ||
			m.StackOffset%invocations.LayoutStep != 0 || m.Place == 0 || m != again[i] {
			t.Errorf("launch %d: %+v, %+v when it is asked again", i, m, again[i])
		}
		places[m.Place] = true
	}
	if len(places) != len(vary) {
		t.Errorf("%d launches had %d places", len(vary), len(places))
	}
	for i, m := range layouts(r, &launched{index: 1}) {
		if m != (invocations.Measure{}) {
			t.Errorf("launch %d with one layout: %+v", i, m)
		}
	}
	// The sides of a pair have the same layouts, although suites may give them other seeds.
	for i, m := range layouts(r, &launched{index: 1, like: &launched{index: 0}}) {
		if m != vary[i] {
			t.Errorf("launch %d: a side has %+v, the other one %+v", i, m, vary[i])
		}
	}
}
