package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// counted returns the counts of values.
func counted(values ...int64) []count[float64] { return countsOf(floats(values)) }

func floats(values []int64) []float64 {
	var x []float64
	for _, v := range values {
		x = append(x, float64(v))
	}
	return x
}

// exactMannWhitney counts all ways to choose which of the values are a's.
func exactMannWhitney(a, b []int64) float64 {
	all := slices.Concat(a, b)
	distance := func(chosen uint) float64 {
		u := 0.0
		for i, x := range all {
			for j, y := range all {
				if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
					switch {
					case x > y:
						u++
					case x == y:
						u += 0.5
					}
				}
			}
		}
		return math.Abs(u - float64(len(a)*len(b))/2)
	}
	observed := distance(1<<len(a) - 1)
	extreme, count := 0.0, 0.0
	for chosen := range uint(1) << len(all) {
		n := 0
		for i := range all {
			n += int(chosen >> i & 1)
		}
		if n != len(a) {
			continue
		}
		count++
		if distance(chosen) >= observed-1e-9 {
			extreme++
		}
	}
	return extreme / count
}

// TestMannWhitneyIsNearTheExactOne: it is the exact one without equal values; with some, and by counts, it is near and
// does not decide earlier than the exact test by more than a third.
func TestMannWhitneyIsNearTheExactOne(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		var a, b []int64
		shift := random.Int64N(40)
		for range 4 + random.IntN(3) {
			a = append(a, random.Int64N(50)+shift)
		}
		for range 4 + random.IntN(3) {
			b = append(b, random.Int64N(50))
		}
		want := exactMannWhitney(a, b)
		approximate := rankSums(counted(a...), counted(b...)).approximateP()
		for i, got := range []float64{MannWhitney(floats(a), floats(b)), approximate} {
			if exact := i == 0 && rankSums(counted(a...), counted(b...)).ties == 0; exact && math.Abs(got-want) > 1e-9 {
				t.Errorf("%v and %v: %.4f, want %.4f", a, b, got, want)
			}
			if math.Abs(got-want) > 0.06 {
				t.Errorf("%v and %v: %.4f, exactly %.4f", a, b, got, want)
			}
			if want > 0.05 && got < want/1.5 {
				t.Errorf("%v and %v: %.4f decides, exactly %.4f", a, b, got, want)
			}
		}
	}
}

// TestApproximatePAgainstValues compares the two where both are the normal approximation.
func TestApproximatePAgainstValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var a, b []int64
		for range 60 + random.IntN(60) {
			a, b = append(a, random.Int64N(30)), append(b, random.Int64N(32), random.Int64N(32))
		}
		got, want := rankSums(counted(a...), counted(b...)).approximateP(), MannWhitney(floats(a), floats(b))
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%d and %d values: %v by counts, %v by values", len(a), len(b), got, want)
		}
	}
}

func TestApproximatePAtTheEdges(t *testing.T) {
	// All values of one side are equal and above the other side's: ties mislead the approximation.
	for _, sizes := range [][2]int64{{1, 40}, {3, 3}, {2, 5}, {1, 1}} {
		ways := 1.0
		for i := range sizes[0] {
			ways *= float64(sizes[0]+sizes[1]-i) / float64(i+1)
		}
		p := rankSums([]count[int64]{{1, sizes[0]}}, []count[int64]{{0, sizes[1]}}).approximateP()
		if p < 2/ways-1e-9 && p < 1 {
			t.Errorf("%d against %d: %g is less than the exact %g", sizes[0], sizes[1], p, 2/ways)
		}
	}
	if p := rankSums(counted(1), nil).approximateP(); !math.IsNaN(p) {
		t.Errorf("one side empty: %g", p)
	}
	if p := rankSums(counted(5, 5, 5), counted(5, 5)).approximateP(); p != 1 {
		t.Errorf("all equal: %g", p)
	}
	a, b := counted(1, 2, 3, 9), counted(4, 5, 6, 7, 8)
	if p, q := rankSums(a, b).approximateP(), rankSums(b, a).approximateP(); math.Abs(p-q) > 1e-12 {
		t.Errorf("one way %g, the other %g", p, q)
	}
	if p := rankSums([]count[int64]{{math.MaxInt64, 3}}, []count[int64]{{0, 3}}).approximateP(); !(p < 0.1) {
		t.Errorf("the greatest times there are: %g", p)
	}
}
