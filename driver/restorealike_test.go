package driver

import (
	"slices"
	"testing"
	"time"

	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// What the first launch of an invocation has found of its arguments holds for all further ones, and is in its row.
func TestRestoredLaunches(t *testing.T) {
	for _, found := range []bool{false, true} {
		var told []bool
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			told = append(told, m.Restored)
			r := quick(m)
			r.Restored = found
			return r
		}}
		whole := &plan.Plan{}
		whole.Add(plan.Entry{Invocation: invocations.Invocation{ID: "a", Name: "a",
			Measure: invocations.Measure{Launches: 3, MaxTimeNS: int64(time.Hour), CPU: -1}}})
		outcome, err := Execute(t.Context(), whole, Execution{Executor: p})
		if err != nil || outcome.Records.Len() != 1 || recordstest.At(t, outcome.Records, 0).Restored != found {
			t.Fatalf("%d records, %v", outcome.Records.Len(), err)
		}
		if want := []bool{false, found, found}; !slices.Equal(told, want) {
			t.Errorf("found %t: launches were told %v, want %v", found, told, want)
		}
	}
}

// Both sides of a pair restore, or none: the side that has measured without does it again. A side that has nothing to
// restore is not asked twice.
func TestPairsRestoreAlike(t *testing.T) {
	for _, c := range []struct {
		name     string
		finds    string // sides whose first launch restores by itself
		cannot   string // sides that have nothing to restore
		launches map[string]int
		restored map[string]bool // every launch that counts, and the row
	}{
		{"none", "", "", map[string]int{"a0": 3, "b0": 3}, map[string]bool{}},
		{"both", "ab", "", map[string]int{"a0": 3, "b0": 3}, map[string]bool{"a0": true, "b0": true}},
		{"the second", "b", "", map[string]int{"a0": 4, "b0": 3}, map[string]bool{"a0": true, "b0": true}},
		{"the first", "a", "", map[string]int{"a0": 3, "b0": 4}, map[string]bool{"a0": true, "b0": true}},
		{"the first, and the second cannot", "a", "b", map[string]int{"a0": 3, "b0": 4}, map[string]bool{"a0": true}},
	} {
		plan, of := pairedPlan(1, invocations.Measure{Launches: 3, MaxTimeNS: int64(time.Hour), CPU: -1})
		launches := map[string]int{}
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			launches[m.ID]++
			r := quick(m)
			side := rune(m.ID[0])
			r.Restored = (m.Restored || slices.Contains([]rune(c.finds), side)) && !slices.Contains([]rune(c.cannot), side)
			return r
		}}
		outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
			Decided: func(_ int, results [2][]invocations.Result, last bool) bool {
				for side, list := range results {
					for _, one := range list {
						if id := plan.At(of[0][side]).Invocation.ID; one.Restored != c.restored[id] {
							t.Errorf("%s: a launch of %s is restored: %t", c.name, id, one.Restored)
						}
					}
				}
				return last
			}}})
		if err != nil || outcome.Records.Len() != 2 {
			t.Fatalf("%s: %d records, %v", c.name, outcome.Records.Len(), err)
		}
		for i := range 2 {
			r := recordstest.At(t, outcome.Records, i)
			if id := plan.At(i).Invocation.ID; launches[id] != c.launches[id] || r.Restored != c.restored[id] {
				t.Errorf("%s: %d launches of %s, want %d; restored: %t", c.name, launches[id], id, c.launches[id], r.Restored)
			}
		}
	}
}
