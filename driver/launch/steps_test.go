package launch

import (
	"math"
	"testing"
	"time"

	"zonemark/invocations"
)

// The fastest calls say how many make a batch.
func TestCallsInStep(t *testing.T) {
	for _, c := range []struct {
		ns   []float64
		want int64
	}{
		{nil, 0},
		{[]float64{math.NaN(), 0}, 0},
		{[]float64{60_000, 8_000, 9_000}, 13},
		{[]float64{2 * stepNS}, 1},
	} {
		measured := make([]invocations.Result, len(c.ns))
		for i, ns := range c.ns {
			measured[i].Summary.MinNS = ns
		}
		if got := callsInStep(measured); got != c.want {
			t.Errorf("%v: %d calls, want %d", c.ns, got, c.want)
		}
	}
}

func TestCallsInSteps(t *testing.T) {
	for _, c := range []struct {
		ns   [2]float64
		want [2]int64
	}{
		{[2]float64{8_060, 7_980}, [2]int64{13, 13}},
		{[2]float64{7_980, 8_060}, [2]int64{13, 13}},
		{[2]float64{10_000, 5_000}, [2]int64{15, 15}},
		{[2]float64{10_000, 4_000}, [2]int64{10, 25}},
		{[2]float64{10_000, 0}, [2]int64{10, 0}},
		{[2]float64{}, [2]int64{}},
	} {
		var sides [2][]invocations.Result
		for k, ns := range c.ns {
			sides[k] = make([]invocations.Result, 1)
			sides[k][0].Summary.MinNS = ns
		}
		if got := callsInSteps(sides); got != c.want {
			t.Errorf("%v: %d calls, want %d", c.ns, got, c.want)
		}
	}
}

// Batches of restored calls keep the size that their first launch has chosen by the caches, and the smaller one of
// sides that are about as fast.
func TestRestoredCallsInSteps(t *testing.T) {
	for _, c := range []struct {
		restored [2]bool
		calls    [2]int64 // of the first launches
		want     [2]int64
	}{
		{[2]bool{true, true}, [2]int64{3, 5}, [2]int64{3, 3}},
		{[2]bool{true, true}, [2]int64{3, 50}, [2]int64{3, 13}},
		{[2]bool{true, true}, [2]int64{0, 0}, [2]int64{1, 1}},
		{[2]bool{false, true}, [2]int64{3, 8}, [2]int64{8, 8}},
		{[2]bool{}, [2]int64{3, 8}, [2]int64{13, 13}},
	} {
		var sides [2][]invocations.Result
		for k := range sides {
			sides[k] = []invocations.Result{{OfArguments: invocations.OfArguments{Fresh: invocations.Fresh{Restored: c.restored[k]}},
				Calling: invocations.Calling{CallsPerBatch: c.calls[k]}}}
			sides[k][0].Summary.MinNS = 8_000
		}
		if got := callsInSteps(sides); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// The first calls of both sides are those of preparing them, whose results do not count otherwise.
func TestFirstCallsOfPreparing(t *testing.T) {
	turns := turning{Worker: &Worker{}, firstNS: [2]float64{600_000, 0}}
	for k, ns := range []float64{0, 700} {
		turns.keep(k, invocations.Result{Status: invocations.OK, FirstCalls: invocations.FirstCalls{FirstNS: ns}}, time.Now())
	}
	if a, b := turns.parts[0][0].FirstNS, turns.parts[1][0].FirstNS; a != 600_000 || b != 700 {
		t.Errorf("first calls of %g and %g ns", a, b)
	}
}
