package combine

import (
	"math"
	"slices"
	"testing"

	"zonemark/invocations"
)

// Batches that were set apart are compared as well, where they were made.
func TestInOrder(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		apart   invocations.ApartBatches
		want    []float64
	}{
		{nil, invocations.ApartBatches{}, nil},
		{[]float64{1, 2}, invocations.ApartBatches{}, []float64{1, 2}},
		{[]float64{1, 2}, invocations.ApartBatches{NS: []float64{7, 8, 9}, After: []int64{0, 1, 1}}, []float64{7, 1, 8, 9, 2}},
		{[]float64{1}, invocations.ApartBatches{NS: []float64{7}, After: []int64{1}}, []float64{1, 7}},
		{nil, invocations.ApartBatches{NS: []float64{7, 8}, After: []int64{0, 0}}, []float64{7, 8}},
		// some of very many are not kept
		{[]float64{1}, invocations.ApartBatches{NS: make([]float64, invocations.MostApart),
			After: make([]int64, invocations.MostApart)}, nil},
	} {
		if got := inOrder(&invocations.Result{Batches: invocations.Batches{SamplesNS: c.samples},
			Apart: c.apart}); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.samples, c.apart, got, c.want)
		}
	}
}

// A side that is 2 % slower in each step is found so although the clock changes by a tenth, and one batch of a part is wild.
// The other side has the opposite.
func TestCompareNeighbours(t *testing.T) {
	var turn [2]invocations.Result
	for i := range 40 {
		ns := 100.0
		if i > 12 {
			ns = 110
		}
		turn[0].SamplesNS = append(turn[0].SamplesNS, ns)
		turn[1].SamplesNS = append(turn[1].SamplesNS, ns*1.02)
	}
	turn[1].SamplesNS[3], turn[0].SamplesNS[30] = 1000, 900
	CompareNeighbours(&turn, 2)
	for k, sign := range []float64{-1, 1} {
		n := turn[k].Neighbours
		if len(n) != 2 || math.Abs(n[0]-sign*math.Log(1.02)) > 1e-9 || math.Abs(n[1]-sign*math.Log(1.02)) > 1e-9 {
			t.Errorf("side %d: %v", k, n)
		}
	}
	short := [2]invocations.Result{{Batches: invocations.Batches{SamplesNS: []float64{10}}},
		{Batches: invocations.Batches{SamplesNS: []float64{10, 20, 30}}}}
	CompareNeighbours(&short, 2)
	if n := short[0].Neighbours; len(n) != 2 || !math.IsNaN(n[0]) || n[1] != 0 {
		t.Errorf("one batch: %v", n)
	}
}

// A launch has the ratios of all its turns, or none.
func TestNeighbours(t *testing.T) {
	of := func(turns ...[]float64) (list []invocations.Result) {
		for _, n := range turns {
			list = append(list, invocations.Result{Batches: invocations.Batches{Neighbours: n}})
		}
		return list
	}
	for _, c := range []struct {
		turns []invocations.Result
		want  []float64
	}{
		{nil, nil},
		{of(nil, nil), nil},
		{of([]float64{1, 2}, nil), nil},
		{of([]float64{1, 2}, []float64{3, 4}), []float64{1, 2, 3, 4}},
	} {
		if got := neighbours(c.turns); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
