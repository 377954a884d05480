package wear

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// pairsOf returns pairs whose fresh side takes factor times as long, each side disturbed by this much.
func pairsOf(n int, factor float64, disturb func() float64) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{WornNS: 1000 * disturb(), FreshNS: 1000 * factor * disturb()}
	}
	return pairs
}

func TestMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	quiet := func() float64 { return 1 + 1e-4*rng.NormFloat64() }
	noisy := func() float64 { return math.Exp(0.02 * rng.NormFloat64()) }
	preempted := func() float64 { // one of a dozen is interrupted for milliseconds
		if rng.IntN(12) == 0 {
			return 1e4
		}
		return 1 + 1e-3*rng.NormFloat64()
	}
	for _, c := range []struct {
		name    string
		pairs   []Pair
		matters bool
	}{
		{"no pairs", nil, false},
		{"sorting: sorted data is faster", pairsOf(15, 200, quiet), true},
		{"decay: denormal numbers are slower", pairsOf(15, 0.01, quiet), true},
		{"a state machine, in noise", pairsOf(15, 500, preempted), true},
		{"LU, three times as slow, in noise", pairsOf(15, 3, noisy), true},
		{"a small difference on a quiet machine", pairsOf(15, 1.02, quiet), true},
		{"a difference that hardly matters", pairsOf(15, 1.005, quiet), false},
		{"an accumulating product", pairsOf(15, 1, quiet), false},
		{"an accumulating product, in noise", pairsOf(15, 1, noisy), false},
		{"an accumulating product, interrupted", pairsOf(15, 1, preempted), false},
		{"two contrary pairs of fifteen", append(pairsOf(13, 1.1, quiet), pairsOf(2, 0.9, quiet)...), true},
		{"three contrary pairs of fifteen", append(pairsOf(12, 1.1, quiet), pairsOf(3, 0.9, quiet)...), false},
		{"five pairs", pairsOf(5, 0.95, quiet), true},
		{"five pairs, one contrary", append(pairsOf(4, 0.95, quiet), pairsOf(1, 1.05, quiet)...), false},
		{"two pairs", pairsOf(2, 1.2, quiet), true},
		{"two pairs, little difference", pairsOf(2, 1.03, quiet), false},
		{"two pairs that agree by chance", append(pairsOf(1, 1.05, quiet), pairsOf(1, 1.3, quiet)...), false},
		{"a pair of long calls", pairsOf(1, 3, quiet), true},
		{"a pair of long calls that may be disturbed", pairsOf(1, 1.3, quiet), false},
	} {
		factor, matters := Matters(c.pairs)
		if matters != c.matters || !(factor > 0) {
			t.Errorf("%s: %t with a factor of %g, want %t", c.name, matters, factor, c.matters)
		}
	}
}

// Equal sides pass for different ones in few launches, however noisy the machine is, as long as noise hits both alike.
func TestByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	noise := func() float64 { return math.Exp(0.1 * rng.NormFloat64()) }
	for pairs, most := range map[int]float64{Most: 0.01, few - 1: 0.01, Brief: 0.11} {
		const launches = 10_000
		found := 0
		for range launches {
			if _, matters := Matters(pairsOf(pairs, 1, noise)); matters {
				found++
			}
		}
		if found > int(most*launches) {
			t.Errorf("%d pairs: %d of %d", pairs, found, launches)
		}
	}
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		pairs int
		spent time.Duration
		want  bool
	}{
		{0, 0, false}, {0, time.Hour, false}, {1, 2 * time.Second, false}, {1, 6 * time.Second, true},
		{2, 500 * time.Millisecond, false}, {2, 2 * time.Second, true}, {4, 500 * time.Millisecond, false},
		{5, 100 * time.Millisecond, false}, {5, 300 * time.Millisecond, true}, {14, 0, false}, {15, 0, true},
	} {
		if got := Enough(pairsOf(c.pairs, 1.1, func() float64 { return 1 }), Most, c.spent); got != c.want {
			t.Errorf("%d pairs in %s: %t", c.pairs, c.spent, got)
		}
	}
}

// Pairs end early only when no further ones could make them agree.
func TestEnoughContrary(t *testing.T) {
	still := func() float64 { return 1 }
	for _, c := range []struct {
		slower, faster int
		want           bool
	}{{2, 2, false}, {10, 2, false}, {3, 3, true}, {3, 2, false}, {11, 3, true}} {
		pairs := append(pairsOf(c.slower, 1.1, still), pairsOf(c.faster, 0.9, still)...)
		got := Enough(pairs, Most, 0)
		if got != c.want {
			t.Errorf("%d and %d: %t", c.slower, c.faster, got)
		}
		all := append(pairs, pairsOf(Most-len(pairs), 1.1, still)...)
		if _, matters := Matters(all); got && matters {
			t.Errorf("%d and %d: further pairs would agree", c.slower, c.faster)
		}
	}
}

// A brief look has two pairs, and one if that shows nothing or takes long.
func TestEnoughBriefly(t *testing.T) {
	for _, c := range []struct {
		pairs  int
		factor float64
		spent  time.Duration
		want   bool
	}{
		{1, 1.01, 0, true}, {1, 0.99, 0, true}, {1, 1.05, 0, false}, {1, 0.95, 0, false}, {1, 1.05, 6 * time.Second, true},
		{2, 1.05, 0, true},
	} {
		if got := Enough(pairsOf(c.pairs, c.factor, func() float64 { return 1 }), Brief, c.spent); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

func TestNote(t *testing.T) {
	for factor, want := range map[float64]string{
		203:      "would be 203 times as fast on what earlier calls have left: ",
		1570:     "would be 1570 times as fast on",
		2.558:    "would be 2.56 times as fast on",
		1 / 45.3: "would be 45.3 times as slow on",
		0.01:     "would be 100 times as slow on what earlier calls have left: ",
	} {
		if got := Note(factor); !strings.Contains(got, want) {
			t.Errorf("%g: %s", factor, got)
		}
	}
}

// TestNoteOrder: a sort whose branches are learned is told. Its time was a quarter of what it takes on new data, and clean.
func TestNoteOrder(t *testing.T) {
	for factor, want := range map[float64]string{4.03: "calls take 4.03 times as long as", 1.036: "calls take 1.04 times as long as"} {
		if got := NoteOrder(factor); !strings.Contains(got, want+" on contents that repeat, whose branches the processor learns") {
			t.Errorf("%g: %s", factor, got)
		}
	}
}
