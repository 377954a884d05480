package combine

import (
	"slices"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
)

// Verdicts of most turns are those of the launch.
func TestMergeTurns(t *testing.T) {
	turns := combinetest.LaunchesOf(10, 20, 30)
	turns[0].Verdicts, turns[1].Verdicts = only(invocations.Contended, invocations.TooShort), only(invocations.Contended)
	turns[2].Notes = []string{"a note"}
	merge := func() invocations.Result {
		return Turns(turns, DisturbedTurns([2][]invocations.Result{turns, nil}))
	}
	out := merge()
	if !slices.Equal(out.Verdicts, only(invocations.Contended)) || !slices.Equal(out.Notes, turns[2].Notes) ||
		out.Canary.Batches != 3*turns[0].Canary.Batches || out.Discarded.Disturbed != 6 || out.Summary.MedianNS < 10 {
		t.Errorf("verdicts %v, notes %q, canary %+v, %+v", out.Verdicts, out.Notes, out.Canary, out.Discarded)
	}
	if !slices.Equal(out.MergedSamples, []int{40, 40, 0}) {
		t.Errorf("most turns were disturbed, and samples are %v", out.MergedSamples)
	}
	turns[1].Verdicts = only(invocations.Clean)
	turns[0].Apart = invocations.ApartBatches{NS: []float64{99}, After: []int64{7}}
	out = merge()
	if n := len(out.Apart.NS); !slices.Equal(out.MergedSamples, []int{0, 40, 40}) || len(out.SamplesNS) != 80 || n != 41 ||
		len(out.Apart.After) != n || slices.Max(out.Apart.After) != 0 || out.Iterations != 80_000 {
		t.Errorf("a disturbed turn: samples %v, %d calls, %d apart after %v", out.MergedSamples, out.Iterations, n,
			out.Apart.After)
	}
	if !slices.Equal(out.Verdicts, only(invocations.Clean)) {
		t.Errorf("verdicts %v", out.Verdicts)
	}
	turns[0].Verdicts = only(invocations.Refused, invocations.Unfinished) // only the first turn looks
	if out = merge(); !slices.Equal(out.Verdicts, turns[0].Verdicts) {
		t.Errorf("verdicts %v", out.Verdicts)
	}
}

// Both sides keep the same turns, whichever side of one was disturbed. A side that has fewer, since the other one failed,
// goes by its own.
func TestDisturbedTurns(t *testing.T) {
	const quiet, contended = invocations.Clean, invocations.Contended
	for _, c := range []struct {
		a, b     []invocations.Verdict // of each turn
		disturbs []bool
		kept     []int // samples
		verdict  invocations.Verdict
	}{
		{[]invocations.Verdict{quiet, contended, quiet}, []invocations.Verdict{quiet, quiet, quiet},
			[]bool{false, true, false}, []int{40, 0, 40}, quiet},
		{[]invocations.Verdict{contended, quiet, quiet}, []invocations.Verdict{quiet, contended, quiet},
			[]bool{true, true, false}, []int{40, 40, 0}, contended},
		{[]invocations.Verdict{contended}, []invocations.Verdict{quiet, quiet}, []bool{true, false}, []int{40}, contended},
	} {
		var parts [2][]invocations.Result
		for k, verdicts := range [][]invocations.Verdict{c.a, c.b} {
			parts[k] = combinetest.LaunchesOf(10, 20, 30)[:len(verdicts)]
			for i, v := range verdicts {
				parts[k][i].Verdicts = only(v)
			}
		}
		disturbed := DisturbedTurns(parts)
		if !slices.Equal(disturbed, c.disturbs) {
			t.Fatalf("%v and %v: disturbed %v", c.a, c.b, disturbed)
		}
		out := Turns(parts[0], disturbed[:len(parts[0])])
		if !slices.Equal(out.MergedSamples, c.kept) || !slices.Equal(out.Verdicts, only(c.verdict)) {
			t.Errorf("%v and %v: samples %v, %v", c.a, c.b, out.MergedSamples, out.Verdicts)
		}
	}
}
