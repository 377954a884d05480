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

// unlike returns launches that agree, in which some batches take another time than the others.
func unlike(launches int, factor func(launch, batch int) float64) (all []invocations.Result) {
	for launch := range launches {
		one := combinetest.MadeUp(1000)
		for i := range one.SamplesNS {
			one.SamplesNS[i] *= factor(launch, i)
			one.CyclesSamples[i] *= factor(launch, i)
		}
		one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
		all = append(all, one)
	}
	return all
}

// TestOddBatches: batches of a row differ although nobody disturbs them, since what comes before them decides. The interval
// covers what callers may find. What no probe has seen may disturb single batches, but not make them faster.
func TestOddBatches(t *testing.T) {
	each := func(n int, factor float64) func(int, int) float64 { // one of n batches
		return func(_, batch int) float64 {
			if batch%n == 0 {
				return factor
			}
			return 1
		}
	}
	inTurn := func(launch, batch int) float64 {
		if launch < 3 && batch >= 30 {
			return 1.19
		}
		return 1
	}
	launch := func(launch, _ int) float64 {
		if launch == 3 {
			return 1.1
		}
		return 1
	}
	edited := func(all []invocations.Result, edit func(*invocations.Result)) []invocations.Result {
		for i := range all {
			edit(&all[i])
		}
		return all
	}
	const fast, slow = "one in twenty takes 8 % less than", "more than the middle one"
	for _, c := range []struct {
		name      string
		launches  []invocations.Result
		low, high float64 // that the interval reaches; 0: the time itself
		note      string
	}{
		{"fast batches", unlike(5, each(10, 0.92)), 921, 0, fast},
		{"fast ones, less than probes tell", unlike(5, each(10, 0.98)), 0, 0, ""},
		{"single slow ones", unlike(5, each(10, 1.2)), 0, 0, ""},
		{"slow ones in turn", unlike(5, inTurn), 0, 1140, slow},
		{"a slow launch of ten, which trimmed means drop", unlike(10, launch), 0, 1099, slow},
		{"both", unlike(5, func(launch, batch int) float64 { return each(10, 0.92)(launch, batch) * inTurn(launch, batch) }), 921,
			1140, "one in twenty takes 8 % less, one in twenty takes 15 % more than"},
		{"few batches", edited(unlike(5, each(10, 0.92)), func(r *invocations.Result) {
			r.SamplesNS, r.CyclesSamples = r.SamplesNS[:30], r.CyclesSamples[:30]
		}), 0, 0, ""},
		{"caches that neighbours share", edited(unlike(5, each(10, 0.92)), func(r *invocations.Result) {
			r.SetBytes = 2 * beyondCaches
		}), 0, 0, ""},
		{"calls that wait", edited(unlike(5, each(10, 0.92)), func(r *invocations.Result) { r.Summary.CPUMedianNS /= 2 }), 0, 0,
			""},
		{"no cycles", edited(unlike(5, each(10, 0.92)), func(r *invocations.Result) { r.CyclesSamples = nil }), 0, 0, ""},
	} {
		out := merged(c.launches)
		at := out.Spread.Time
		if out.Spread.Reference.Known() {
			at = out.Spread.Reference
		}
		if math.Abs(at.Value/1000-1) > 0.001 || (at.Low < 990) != (c.low > 0) || c.low > 0 && at.Low > c.low ||
			(at.High > 1010) != (c.high > 0) || c.high > 0 && at.High < c.high {
			t.Errorf("%s: %+v", c.name, at)
		}
		notes := strings.Join(out.Notes, "; ")
		if slices.Contains(out.Verdicts, invocations.NotConverged) != (c.note != "") || !strings.Contains(notes, c.note) ||
			c.note == "" && strings.Contains(notes, "one in twenty") {
			t.Errorf("%s: %v, notes %q", c.name, out.Verdicts, notes)
		}
	}
}
