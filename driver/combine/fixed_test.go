package combine

import (
	"slices"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
)

// A fixed number of calls is judged as all other rows are: by its launches, their interval, and contention. Its calls are
// kept, whatever disturbed them, since the user asks for the time of all of them.
func TestFixedIsJudged(t *testing.T) {
	quiet := func(ns float64) invocations.Result { return combinetest.FixedLaunch(true, ns, ns) }
	loaded := func(ns float64) invocations.Result { return combinetest.FixedLaunch(false, ns, ns) }
	for _, c := range []struct {
		name     string
		launches []invocations.Result
		verdicts []invocations.Verdict
		notes    []string
	}{
		{"steady", []invocations.Result{quiet(1000), quiet(1001), quiet(999), quiet(1000), quiet(1000)},
			only(invocations.Clean), nil},
		{"one launch", []invocations.Result{quiet(1000)}, only(invocations.NotConverged), nil},
		{"far apart", []invocations.Result{quiet(1000), quiet(1200), quiet(1100)}, only(invocations.NotConverged), nil},
		{"alike, under load", []invocations.Result{loaded(2000), loaded(2000), loaded(2000)},
			only(invocations.Contended),
			[]string{"0 of 6 batches were quiet; of the others, other work took the CPU in 6"}},
		{"one of five under load", []invocations.Result{quiet(1000), quiet(1000), loaded(1000), quiet(1000), quiet(1000)},
			only(invocations.Contended),
			[]string{"8 of 10 batches were quiet; of the others, other work took the CPU in 2"}},
	} {
		out := merge(invocations.Measure{Precision: 0.01, Iterations: 2, Launches: len(c.launches)}, c.launches...)
		if !slices.Equal(out.Verdicts, c.verdicts) || !slices.Equal(out.Notes, c.notes) {
			t.Errorf("%s: %v, %q", c.name, out.Verdicts, out.Notes)
		}
		n := len(c.launches)
		if len(out.RoundsNS) != n || len(out.SamplesNS) != 2*n || out.Iterations != int64(2*n) || out.Merged != n ||
			out.Stop != invocations.StopIterations || out.Properties["platform"] != "cpu" {
			t.Errorf("%s: %+v", c.name, out)
		}
	}
}
