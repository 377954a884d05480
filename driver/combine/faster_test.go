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

// ofLevels returns launches that agree, in which one of ten batches takes so much less than the others.
func ofLevels(less float64, edit func(*invocations.Result)) []invocations.Result {
	var l Launches
	for range 5 {
		one := combinetest.MadeUp(1000)
		for i := range one.SamplesNS {
			if i%10 == 0 {
				one.SamplesNS[i] *= 1 - less
				one.CyclesSamples[i] *= 1 - less
			}
		}
		one.Summary = stats.Summarize(one.SamplesNS, one.CPUSamplesNS)
		l.Add(combinetest.With(one, edit), invocations.Measure{})
	}
	return l.Results
}

// TestFasterBatches: batches of one launch differ although nobody disturbs them, since what comes before them decides. The
// interval covers what callers may find.
func TestFasterBatches(t *testing.T) {
	for _, c := range []struct {
		name   string
		less   float64
		edit   func(*invocations.Result)
		covers bool
	}{
		{"levels", 0.08, func(*invocations.Result) {}, true},
		{"less than probes tell", 0.02, func(*invocations.Result) {}, false},
		{"few batches", 0.08, func(r *invocations.Result) {
			r.SamplesNS, r.CyclesSamples = r.SamplesNS[:30], r.CyclesSamples[:30]
		}, false},
		{"caches that neighbours share", 0.08, func(r *invocations.Result) { r.SetBytes = 2 * beyondCaches }, false},
		{"calls that wait", 0.08, func(r *invocations.Result) { r.Summary.CPUMedianNS /= 2 }, false},
		{"no cycles", 0.08, func(r *invocations.Result) { r.CyclesSamples = nil }, false},
	} {
		out := merged(ofLevels(c.less, c.edit))
		at := out.Spread.Time
		if out.Spread.Reference.Known() {
			at = out.Spread.Reference
		}
		if math.Abs(at.Value/1000-1) > 0.001 || at.High > 1010 || (at.Low < 1000*(1-0.9*c.less)) != c.covers {
			t.Errorf("%s: %+v", c.name, at)
		}
		if slices.Contains(out.Verdicts, invocations.NotConverged) != c.covers ||
			strings.Contains(strings.Join(out.Notes, "; "), "one in twenty takes 8 % less") != c.covers {
			t.Errorf("%s: %v, notes %q", c.name, out.Verdicts, out.Notes)
		}
	}
}

// TestQuantilesOf: what is kept of a launch's cycles tells their median, and what they were.
func TestQuantilesOf(t *testing.T) {
	var cycles []float64
	for i := range 101 {
		cycles = append(cycles, float64((i*37)%101))
	}
	for _, c := range []struct{ cycles, want []float64 }{
		{nil, nil}, {[]float64{3, 1, 8}, []float64{3}}, {cycles[:39], []float64{stats.Median(cycles[:39])}},
		{cycles, []float64{5, 50, 95}},
	} {
		got := quantilesOf(c.cycles)
		if !slices.Equal(got, c.want) {
			t.Errorf("of %d values: %v", len(c.cycles), got)
		}
	}
}
