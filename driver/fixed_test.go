package driver

import (
	"slices"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

// fixedLaunch returns a launch of two calls of these times. quiet is false if other work took the CPU.
func fixedLaunch(quiet bool, ns ...float64) invocations.Result {
	n := int64(len(ns))
	r := invocations.Result{
		ID: "f", Status: invocations.OK, Verdicts: only(invocations.Clean), Stop: invocations.StopIterations, Merged: 1,
		SamplesNS: ns, Iterations: n, CallsPerBatch: 1, RoundsNS: []float64{ns[0] + ns[1] + 1},
		Canary: invocations.Canary{Batches: n, Quiet: n}, Properties: map[string]string{"platform": "cpu"},
	}
	if !quiet {
		r.Verdicts, r.Canary = only(invocations.Contended), invocations.Canary{Batches: n, Interrupted: n}
	}
	r.Summary = stats.Summarize(ns, nil)
	return r
}

// A fixed number of calls is judged as all other rows are: by its launches, their interval, and contention. Its calls are
// kept, whatever disturbed them, since the user asks for the time of all of them.
func TestFixedIsJudged(t *testing.T) {
	quiet := func(ns float64) invocations.Result { return fixedLaunch(true, ns, ns) }
	loaded := func(ns float64) invocations.Result { return fixedLaunch(false, ns, ns) }
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
		r, l := runOf(invocations.Measure{Precision: 0.01, Iterations: 2, Launches: len(c.launches)}, c.launches...)
		out := r.mergeLaunches(l)
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

// Each repetition of a fixed number of calls is a launch in an executor of its own.
func TestFixedLaunches(t *testing.T) {
	var rounds []int
	fleet := &puppet{
		phase: func(*wire.Execute) string { return "measure" },
		play: func(m *wire.Execute) *invocations.Result {
			rounds = append(rounds, m.Number)
			r := fixedLaunch(true, 1000, 1000)
			r.Number, r.RoundsNS = m.Number, []float64{2001}
			return &r
		},
	}
	plan := groupPlan(t, invocations.Measure{Iterations: 2, Launches: 3, CPU: -1}, "works")
	outcome, err := (&runner{Executor: fleet}).measure(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	r := outcome.Records.At(0)
	if !slices.Equal(rounds, []int{0, 1, 2}) || fleet.starts < 3 || r.Launches == nil || *r.Launches != 3 ||
		len(r.WallNS) != 3 {
		t.Errorf("rounds %v in %d executors: %+v", rounds, fleet.starts, r)
	}
}
