package combine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// only returns the verdicts of a row.
func only(v ...invocations.Verdict) []invocations.Verdict { return v }

// counted returns a launch that counted instructions and loads.
func counted(instructions, loads float64, exact bool) invocations.Result {
	return combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) {
		r.Counters = []invocations.Count{{Name: "instructions", PerCall: instructions, Exact: exact},
			{Name: "loads", PerCall: loads, Exact: true}}
	})
}

// A call that takes longer used to be too short if its launches differed: its interval then began below a cycle.
func TestTooShort(t *testing.T) {
	const cycle = 0.25
	for _, c := range []struct {
		low, value float64
		want       bool
	}{
		{-0.01, 0, true}, {0.2, 0.24, true}, {0.2, 0.5, true}, {0.3, 0.5, false}, {0.1, 1.9, true}, {0.1, 2.1, false},
		{-500, 8500, false}, {8000, 8500, false},
	} {
		if got := cannotBeTold(stats.Interval{Value: c.value, Low: c.low, High: 2*c.value - c.low}, cycle); got != c.want {
			t.Errorf("from %g, %g ns: too short %t", c.low, c.value, got)
		}
	}
}

func TestMergeLaunches(t *testing.T) {
	plain := invocations.Measure{Precision: 0.01, Launches: 5}
	for _, c := range []struct {
		name     string
		measure  invocations.Measure
		results  []invocations.Result
		kept     int
		verdicts []invocations.Verdict
		median   float64
		note     string // part of one; empty: there is none
	}{
		{"clean", plain, combinetest.LaunchesOf(1000, 1001, 999, 1000, 1000), 5, only(invocations.Clean), 1000, ""},
		{"contended ones beside enough others", plain, []invocations.Result{combinetest.MadeUp(1000), combinetest.Contended(1500),
			combinetest.MadeUp(1001), combinetest.Contended(1600), combinetest.MadeUp(999)}, 3,
			only(invocations.Clean), 1000, ""},
		{"too few others", plain, []invocations.Result{combinetest.MadeUp(1000), combinetest.Contended(1001), combinetest.MadeUp(1001),
			combinetest.Contended(1002), combinetest.Contended(1000)}, 5,
			only(invocations.Contended), 1001,
			"89 of 210 batches were quiet; of the others, the core was shared in 94, its clock changed in 12, " +
				"other work took the CPU in 15"},
		{"all contended", plain, []invocations.Result{combinetest.Contended(1000), combinetest.Contended(1001),
			combinetest.Contended(999)},
			3, only(invocations.Contended), 1000, "9 of 126 batches"},
		{"two launches, one of them contended", plain, []invocations.Result{combinetest.MadeUp(1000), combinetest.Contended(1000)}, 2,
			only(invocations.Contended), 1000, "batches were quiet"},
		{"contended, without probes", plain, []invocations.Result{combinetest.With(combinetest.Contended(1000),
			func(r *invocations.Result) { r.Canary = invocations.Canary{Why: "threads"} })}, 1,
			only(invocations.Contended, invocations.NotConverged), 1000, "other work took the CPU"},
		{"an empty function", plain, combinetest.LaunchesOf(0.01, -0.02, 0.015, 0.02, -0.01), 5,
			only(invocations.TooShort, invocations.NotConverged), 0.01, ""},
		{"a few cycles", plain, combinetest.LaunchesOf(1.5, 1.501, 1.5, 1.499, 1.5), 5, only(invocations.Clean), 1.5, ""},
		{"below a cycle", plain, combinetest.LaunchesOf(0.2, 0.2, 0.2, 0.2, 0.2), 5, only(invocations.TooShort), 0.2, ""},
		{"launches far apart, so that it may be below a cycle", plain, combinetest.LaunchesOf(0.3, 2.3, 1.3), 3,
			only(invocations.TooShort, invocations.NotConverged), 1.3, ""},
		{"batches shorter than planned", plain,
			[]invocations.Result{combinetest.With(combinetest.MadeUp(1000), tooShort), combinetest.With(combinetest.MadeUp(1000), tooShort), combinetest.MadeUp(1000)}, 3,
			only(invocations.TooShort), 1000, ""},
		{"batches of one launch shorter than planned", plain,
			[]invocations.Result{combinetest.With(combinetest.MadeUp(1000), tooShort), combinetest.MadeUp(1000), combinetest.MadeUp(1000)}, 3,
			only(invocations.Clean), 1000, ""},
		{"spread", plain, combinetest.LaunchesOf(1000, 1030, 970, 1010, 990), 5, only(invocations.NotConverged), 1000, ""},
		{"spread, and no precision asked", invocations.Measure{Launches: 5}, combinetest.LaunchesOf(1000, 1030, 970, 1010, 990), 5,
			only(invocations.Clean), 1000, ""},
		{"a single launch", plain, combinetest.LaunchesOf(1000), 1, only(invocations.NotConverged), 1000, ""},
		{"two classes", plain, combinetest.LaunchesOf(1000, 1500, 1000, 1500, 1000), 5,
			only(invocations.NotConverged, invocations.Bimodal), 1000,
			"1.000 µs in 3 of 5, 1.500 µs in 2"},
		{"what a launch says of its precision is no matter", plain,
			[]invocations.Result{combinetest.With(combinetest.MadeUp(1000),
				func(r *invocations.Result) { r.AddVerdict(invocations.NotConverged) }),
				combinetest.MadeUp(1000), combinetest.MadeUp(1000)}, 3,
			only(invocations.Clean), 1000, ""},
		{"other flaws of a launch stay", plain, []invocations.Result{combinetest.MadeUp(1000),
			combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) { r.AddVerdict(invocations.Throttled) }), combinetest.MadeUp(1000)}, 3,
			only(invocations.Throttled), 1000, ""},
	} {
		out := merge(c.measure, c.results...)
		if !slices.Equal(out.Verdicts, c.verdicts) {
			t.Errorf("%s: %v, want %v (%+v)", c.name, out.Verdicts, c.verdicts, out.Spread)
		}
		if out.Merged != c.kept || out.Spread.Launches != c.kept || len(out.MergedSamples) != c.kept ||
			len(out.SamplesNS) != 40*c.kept || out.Iterations != int64(40_000*c.kept) {
			t.Errorf("%s: %d launches, samples %v of %d, %d calls; want %d launches", c.name, out.Merged,
				out.MergedSamples,
				len(out.SamplesNS), out.Iterations, c.kept)
		}
		if off := out.Summary.MedianNS - c.median; off > 1e-3*c.median || off < -1e-3*c.median {
			t.Errorf("%s: median %g, want %g", c.name, out.Summary.MedianNS, c.median)
		}
		said := slices.ContainsFunc(out.Notes, func(n string) bool { return strings.Contains(n, c.note) })
		if c.note != "" && !said || c.note == "" && len(out.Notes) > 0 {
			t.Errorf("%s: notes %q, want %q", c.name, out.Notes, c.note)
		}
		if n := int64(len(c.results)); out.WarmupCalls != 50*n ||
			out.Discarded != (invocations.Discarded{Disturbed: 2 * n, Warmup: 3 * n}) || out.Stop != "launches" {
			t.Errorf("%s: %d calls to warm up, discarded %+v, stop %q", c.name, out.WarmupCalls, out.Discarded,
				out.Stop)
		}
	}
}

// Batches that were set apart keep their places among the samples of all launches.
func TestMergeApart(t *testing.T) {
	apart := func(after ...int64) invocations.Result {
		return combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) {
			for _, n := range after {
				r.Apart.NS, r.Apart.After = append(r.Apart.NS, float64(2000+n)), append(r.Apart.After, n)
			}
		})
	}
	out := merge(invocations.Measure{Precision: 0.01, Launches: 3}, apart(0, 7), apart(), apart(3))
	if !slices.Equal(out.Apart.NS, []float64{2000, 2007, 2003}) || !slices.Equal(out.Apart.After, []int64{0, 7, 83}) {
		t.Errorf("%+v", out.Apart)
	}
}

// Launches that are set apart are told beside those that count.
func TestMergeTellsAllLaunches(t *testing.T) {
	made := []invocations.Result{combinetest.MadeUp(1000), combinetest.Contended(1500), combinetest.MadeUp(1001),
		combinetest.MadeUp(999)}
	for n := range made {
		made[n].Number = n
	}
	s := merge(invocations.Measure{Precision: 0.01, Launches: 4}, made...).Spread
	if !slices.Equal(s.Numbers, []int{0, 2, 3}) || s.All == nil || !slices.Equal(s.All.Numbers, []int{0, 1, 2, 3}) ||
		math.Abs(s.All.MediansNS[1]-1500) > 1 || s.All.All != nil {
		t.Errorf("%+v, all: %+v", s, s.All)
	}
	if s := merge(invocations.Measure{Precision: 0.01, Launches: 2}, made[:2]...).Spread; s.All != nil {
		t.Errorf("all count: %+v", s.All)
	}
}

// A launch that does not end well decides the status, even after good measurements.
func TestMergeLaunchesThatEndBadly(t *testing.T) {
	crashed := invocations.Result{ID: "f", Status: invocations.Crashed, Merged: 1,
		Crash: &invocations.Crash{Signal: "SIGSEGV"}}
	for _, c := range []struct {
		results []invocations.Result
		note    string
	}{{[]invocations.Result{crashed}, ""}, {[]invocations.Result{combinetest.MadeUp(10), combinetest.MadeUp(10), crashed},
		"2 launches before it ended well"}} {
		out := merge(invocations.Measure{}, c.results...)
		if out.Status != invocations.Crashed || out.Merged != len(c.results) || out.SamplesNS != nil ||
			out.Spread != nil ||
			strings.Join(out.Notes, "; ") != c.note {
			t.Errorf("%d launches: %+v", len(c.results), out)
		}
	}
}

// countsOf returns the merged counters for 100 instructions and 20 loads a call.
func countsOf(instructionsExact, loadsExact bool) []invocations.Count {
	return []invocations.Count{
		{Name: "instructions", PerCall: 100, Exact: instructionsExact}, {Name: "loads", PerCall: 20, Exact: loadsExact},
	}
}

func TestMergeCounters(t *testing.T) {
	all := func(n int, r invocations.Result) []invocations.Result {
		return slices.Repeat([]invocations.Result{r}, n)
	}
	for _, c := range []struct {
		name    string
		results []invocations.Result
		want    []invocations.Count
		note    string
	}{
		{"equal", all(3, counted(100, 20, true)), countsOf(true, true), ""},
		{"not exact in one launch", append(all(2, counted(100, 20, true)), counted(100, 20, false)),
			countsOf(false, true),
			""},
		{"rounding", append(all(2, counted(100, 20, true)), counted(100+1e-12, 20, true)), countsOf(true, true), ""},
		{"other instructions in one launch", append(all(2, counted(100, 20, true)), counted(117, 20, true)),
			countsOf(false, true),
			"launch 3 executed 117 instructions a call, the others 100"},
		{"other loads in one launch", append(all(2, counted(100, 20, true)), counted(100, 21, true)),
			countsOf(true, false),
			""},
		{"a launch without counters", append(all(2, counted(100, 20, true)), combinetest.MadeUp(1000)), countsOf(true, true), ""},
		{"none", all(3, combinetest.MadeUp(1000)), nil, ""},
	} {
		for i := range c.results {
			c.results[i].Number = i
		}
		out := merge(invocations.Measure{Launches: 3}, c.results...)
		if !slices.Equal(out.Counters, c.want) || strings.Join(out.Notes, "; ") != c.note {
			t.Errorf("%s: %+v, %q; want %+v, %q", c.name, out.Counters, out.Notes, c.want, c.note)
		}
	}
}

// A result has no probes if half of its launches have none: one on a busy machine may take others' work for threads of
// native code. Before, it reported quiet batches and missing probes at once.
func TestMergeCanaries(t *testing.T) {
	blind := combinetest.With(combinetest.MadeUp(1000), func(r *invocations.Result) {
		r.Canary,
			r.CyclesSamples = invocations.Canary{Why: "threads"}, nil
	})
	out := merge(invocations.Measure{Launches: 3}, combinetest.MadeUp(1000), blind, blind)
	if c := out.Canary; c.Batches != 0 || c.Quiet != 0 || c.Why != "threads" ||
		!slices.Contains(out.Notes, "no probes of how quiet the core was: threads") {
		t.Errorf("%+v, notes %q", out.Canary, out.Notes)
	}
	if out = merge(invocations.Measure{Launches: 3}, combinetest.MadeUp(1000), blind, combinetest.MadeUp(1000)); out.Canary.Why != "" ||
		out.Canary.Batches != 84 {
		t.Errorf("one launch of three without probes: %+v", out.Canary)
	}
	if out = merge(invocations.Measure{Launches: 2}, combinetest.MadeUp(1000), combinetest.Contended(1000), combinetest.MadeUp(1000), combinetest.MadeUp(1000)); out.Canary != (invocations.Canary{Batches: 168, Quiet: 123, Core: 36, Slow: 4,
		Interrupted: 5, KeptPorts: 2, GHz: 4}) {
		t.Errorf("%+v", out.Canary)
	}
}

func tooShort(r *invocations.Result) {
	r.PlannedNS, r.Verdicts = 1e5, []invocations.Verdict{invocations.TooShort}
}

// merge returns the result of the launches of an invocation on a machine of which nothing is known.
func merge(m invocations.Measure, results ...invocations.Result) invocations.Result {
	return (&Launches{Results: combinetest.Ended(results...)}).Merge(m, nil)
}
