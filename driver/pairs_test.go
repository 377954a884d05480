package driver

import (
	"math"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// pairedPlan has pairs a0 b0, a1 b1, … with so much time.
func pairedPlan(pairs int, m invocations.Measure) (*plan.Plan, [][2]int) {
	whole, of := &plan.Plan{}, [][2]int{}
	for i := range pairs {
		for _, side := range []string{"a", "b"} {
			name := side + string(rune('0'+i))
			m.Seed = uint64(name[0]) // suites may give each invocation its own
			whole.Add(plan.Entry{Invocation: invocations.Invocation{ID: name, Name: name, Measure: m}})
		}
		of = append(of, [2]int{2 * i, 2*i + 1})
	}
	return whole, of
}

// quick is a launch that may be believed although it takes no time. It has no turns.
func quick(m *wire.Execute) *invocations.Result {
	r := combinetest.MadeUp(10)
	r.Canary = invocations.Canary{Why: "it is made up"}
	r.Number, r.CallsPerBatch, r.Iterations = m.Number, 1, int64(len(r.SamplesNS))
	return &r
}

func TestPairs(t *testing.T) {
	const launches = 20
	plan, of := pairedPlan(2, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: int64(time.Second), CPU: -1})
	var order []string
	layouts := map[string][]int64{}
	p := &puppet{play: func(m *wire.Execute) *invocations.Result {
		order = append(order, m.ID)
		layouts[m.ID] = append(layouts[m.ID], m.Measure.PageOffset, m.Measure.StackOffset,
			int64(m.Measure.Place), m.Measure.MinTimeNS)
		if m.Measure.MaxTimeNS > 2*m.Measure.MinTimeNS {
			t.Errorf("a launch may take %v", time.Duration(m.Measure.MaxTimeNS))
		}
		return quick(m)
	}}
	outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
		Decided: func(pair int, results [2][]invocations.Result, last bool) bool {
			if last || len(results[0]) != len(results[1]) || results[0][0].ID != plan.At(of[pair][0]).Invocation.ID {
				t.Errorf("pair %d: last %t, %d and %d results", pair, last, len(results[0]), len(results[1]))
			}
			return len(results[0]) == launches*(pair+1)
		}}})
	if err != nil || outcome.Records.Len() != 4 {
		t.Fatalf("%d records, %v", outcome.Records.Len(), err)
	}
	firsts, count := map[string]int{}, map[string]int{}
	for i := 0; i < len(order); i += 2 {
		if order[i][1] != order[i+1][1] || order[i] == order[i+1] {
			t.Fatalf("launches %s and %s are no pair", order[i], order[i+1])
		}
		firsts[order[i][:1]]++
		count[order[i][1:]]++
	}
	if count["0"] != launches || count["1"] != 2*launches {
		t.Errorf("pairs of launches: %v", count)
	}
	if firsts["a"] != 3*launches/2 || firsts["b"] != 3*launches/2 {
		t.Errorf("who was first: %v", firsts)
	}
	for i, v := range layouts["a1"] {
		if layouts["b1"][i] != v {
			t.Fatalf("the sides of a pair have different layouts or times: %v, %v", layouts["a1"], layouts["b1"])
		}
	}
}

// A pair ends when its launches are made, its time is over, or a side does not end ok.
func TestPairsEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		status  invocations.Status // of the second side
		want    int                // pairs of launches; 0: any number
	}{
		{"a number of launches", invocations.Measure{Launches: 3, MaxTimeNS: math.MaxInt64 / 4}, invocations.OK, 3},
		{"no time", invocations.Measure{MaxTimeNS: 1}, invocations.OK, 1},
		{"a side fails", invocations.Measure{MaxTimeNS: int64(time.Hour)}, invocations.Failed, 1},
		{"called once", invocations.Measure{CheckOnly: true, MaxTimeNS: int64(time.Hour)}, invocations.OK, 1},
	} {
		c.measure.CPU = -1
		plan, of := pairedPlan(1, c.measure)
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			if strings.HasPrefix(m.ID, "b") && c.status != invocations.OK {
				return &invocations.Result{Status: c.status, Error: "no"}
			}
			r := quick(m)
			if m.Measure.CheckOnly {
				r = &invocations.Result{Status: invocations.OK,
					Calling: invocations.Calling{Stop: invocations.StopCheck}}
			}
			return r
		}}
		asked := 0
		outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
			Decided: func(_ int, _ [2][]invocations.Result, last bool) bool {
				if asked++; last != (asked == c.want) {
					t.Errorf("%s: last %t after %d pairs", c.name, last, asked)
				}
				return false
			}}})
		if err != nil || asked != c.want || outcome.Records.Len() != 2 || recordstest.At(t, outcome.Records, 1).Status != c.status {
			t.Errorf("%s: %d pairs, %d records, %v", c.name, asked, outcome.Records.Len(), err)
		}
	}
}

// If one side cannot run, the other one is measured alone.
func TestPairsAlone(t *testing.T) {
	plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), CPU: -1})
	first := plan.At(0)
	first.Verdict, first.Reason = invocations.Failed, "it does not build"
	plan.Set(0, first)
	p := &puppet{play: func(m *wire.Execute) *invocations.Result { return quick(m) }}
	outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
		Decided: func(int, [2][]invocations.Result, bool) bool {
			t.Error("a side alone is decided")
			return true
		}}})
	if err != nil || outcome.Records.Len() != 2 || recordstest.At(t, outcome.Records, 0).Status != invocations.Failed ||
		recordstest.At(t, outcome.Records, 1).Status != invocations.OK {
		t.Errorf("%s: %s, %v", recordstest.At(t, outcome.Records, 1).Status, recordstest.At(t, outcome.Records, 1).Error, err)
	}
}
