package driver

import (
	"slices"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// Each repetition of a fixed number of calls is a launch in an executor of its own.
func TestFixedLaunches(t *testing.T) {
	var rounds []int
	fleet := &puppet{
		phase: func(*wire.Execute) string { return "measure" },
		play: func(m *wire.Execute) *invocations.Result {
			rounds = append(rounds, m.Number)
			r := combinetest.FixedLaunch(true, 1000, 1000)
			r.Number, r.RoundsNS = m.Number, []float64{2001}
			return &r
		},
	}
	plan := groupPlan(t, invocations.Measure{Iterations: 2, Launches: 3, CPU: -1}, "works")
	outcome, err := Execute(t.Context(), plan, Execution{Executor: fleet})
	if err != nil {
		t.Fatal(err)
	}
	r := recordstest.At(t, outcome.Records, 0)
	if !slices.Equal(rounds, []int{0, 1, 2}) || fleet.starts < 3 || r.Launches == nil || *r.Launches != 3 ||
		len(r.WallNS) != 3 {
		t.Errorf("rounds %v in %d executors: %+v", rounds, fleet.starts, r)
	}
}
