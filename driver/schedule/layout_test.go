package schedule

import (
	"testing"

	"zonemark/invocations"
)

// layouts returns those of some launches.
func layouts(s *Series) (list []invocations.Measure) {
	s.Results = make([]invocations.Result, 1) // further launches ask the first one
	for launch := range 20 {
		m := messageOf(s, &Launch{Number: launch}).Measure
		list = append(list, invocations.Measure{PageOffset: m.PageOffset, StackOffset: m.StackOffset, Place: m.Place})
	}
	return list
}

func TestLayOut(t *testing.T) {
	first := invocations.Measure{Seed: 5, Launches: 20, Placement: invocations.Vary}
	second := invocations.Measure{Seed: 6, Launches: 20, Placement: invocations.Fixed}
	vary, again := layouts(&Series{Measure: first}), layouts(&Series{Measure: first})
	places := map[uint64]bool{}
	for i, m := range vary {
		if m.PageOffset%invocations.LayoutStep != 0 || m.PageOffset < 0 || m.PageOffset >= invocations.PlacementPage ||
			m.StackOffset%invocations.LayoutStep != 0 || m.Place == 0 || m.Place%invocations.Ways != uint64(i%invocations.Ways) ||
			m != again[i] {
			t.Errorf("launch %d: %+v, %+v when it is asked again", i, m, again[i])
		}
		places[m.Place] = true
	}
	if len(places) != len(vary) {
		t.Errorf("%d launches had %d places", len(vary), len(places))
	}
	for i, m := range layouts(&Series{Measure: second}) {
		if m != (invocations.Measure{}) {
			t.Errorf("launch %d with one layout: %+v", i, m)
		}
	}
	// The sides of a pair have the same layouts, although suites may give them other seeds.
	for i, m := range layouts(&Series{Measure: second, like: &Series{Measure: first}}) {
		if m != vary[i] {
			t.Errorf("launch %d: a side has %+v, the other one %+v", i, m, vary[i])
		}
	}
}
