package zonestats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/trace/histogram"
)

func tallied(values ...int64) []histogram.Tally {
	var d histogram.Histogram
	for _, v := range values {
		d.Add(v)
	}
	return d.Tallies(false)
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

// TestMannWhitneyIsNearTheExactOne also with ties; where it decides, it does not do so earlier than the exact test by
// more than a third.
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
		got, want := mannWhitney(tallied(a...), tallied(b...)), exactMannWhitney(a, b)
		if math.Abs(got-want) > 0.06 {
			t.Errorf("%v and %v: %.4f, exactly %.4f", a, b, got, want)
		}
		if want > wrong && got < want/1.5 {
			t.Errorf("%v and %v: %.4f decides, exactly %.4f", a, b, got, want)
		}
	}
}

func TestMannWhitneyAtTheEdges(t *testing.T) {
	// all of one side equal and above the other: ties mislead the approximation
	for _, sizes := range [][2]int64{{1, 40}, {3, 3}, {2, 5}, {1, 1}} {
		ways := 1.0
		for i := range sizes[0] {
			ways *= float64(sizes[0]+sizes[1]-i) / float64(i+1)
		}
		if p := mannWhitney([]histogram.Tally{{Value: 1, Count: sizes[0]}},
			[]histogram.Tally{{Value: 0, Count: sizes[1]}}); p < 2/ways-1e-9 && p < 1 {
			t.Errorf("%d against %d: %g is less than the exact %g", sizes[0], sizes[1], p, 2/ways)
		}
	}
	if p := mannWhitney(tallied(1), nil); !math.IsNaN(p) {
		t.Errorf("one side empty: %g", p)
	}
	if p := mannWhitney(tallied(5, 5, 5), tallied(5, 5)); p != 1 {
		t.Errorf("all equal: %g", p)
	}
	a, b := tallied(1, 2, 3, 9), tallied(4, 5, 6, 7, 8)
	if p, q := mannWhitney(a, b), mannWhitney(b, a); math.Abs(p-q) > 1e-12 {
		t.Errorf("one way %g, the other %g", p, q)
	}
	if p := mannWhitney([]histogram.Tally{{Value: math.MaxInt64, Count: 3}},
		[]histogram.Tally{{Value: 0, Count: 3}}); !(p < 0.1) {
		t.Errorf("the greatest times there are: %g", p)
	}
}

// TestMannWhitneyHoldsItsLevel: with samples of one distribution, it rejects as often as it says.
func TestMannWhitneyHoldsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const trials = 2000
	rejected := 0
	for range trials {
		var a, b histogram.Histogram
		for range 40 {
			a.Add(int64(1000 + random.ExpFloat64()*100))
			b.Add(int64(1000 + random.ExpFloat64()*100))
		}
		if mannWhitney(a.Tallies(false), b.Tallies(false)) < 0.05 {
			rejected++
		}
	}
	if rejected < trials*2/100 || rejected > trials*8/100 {
		t.Errorf("%d of %d are rejected at 5 %%", rejected, trials)
	}
}
