package driver

import (
	"slices"
	"testing"

	"zonemark/invocations"
)

// Rounds with a fixed number of calls keep their wall times, in order, beside all samples.
func TestMergeFixedRounds(t *testing.T) {
	round := func(wall float64, ns ...float64) invocations.Result {
		return invocations.Result{
			Status: invocations.OK, Stop: "iterations", Iterations: int64(len(ns)), SamplesNS: ns,
			RoundsNS: []float64{wall}, Verdicts: []invocations.Verdict{invocations.Clean},
			Properties: map[string]string{"platform": "cpu"},
		}
	}
	got := merge([]invocations.Result{round(31, 10, 20), round(71, 30, 40)}, 0)
	if !slices.Equal(got.RoundsNS, []float64{31, 71}) || !slices.Equal(got.SamplesNS, []float64{10, 20, 30, 40}) ||
		!slices.Equal(got.MergedSamples, []int{2, 2}) || got.Iterations != 4 {
		t.Errorf("%+v", got)
	}
	if got.Stop != "iterations" || got.Properties["platform"] != "cpu" || got.Summary.MedianNS != 25 {
		t.Errorf("%+v", got)
	}
}
