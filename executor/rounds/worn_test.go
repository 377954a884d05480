package rounds

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// pairsOf returns pairs whose fresh side takes factor times as long, each side disturbed by this much.
func pairsOf(n int, factor float64, disturb func() float64) []wornPair {
	pairs := make([]wornPair, n)
	for i := range pairs {
		pairs[i] = wornPair{worn: 1000 * disturb(), fresh: 1000 * factor * disturb()}
	}
	return pairs
}

func TestWearMatters(t *testing.T) {
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
		pairs   []wornPair
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
		{"a pair of long calls", pairsOf(1, 3, quiet), true},
		{"a pair of long calls that may be disturbed", pairsOf(1, 1.3, quiet), false},
	} {
		factor, matters := wearMatters(c.pairs)
		if matters != c.matters || !(factor > 0) {
			t.Errorf("%s: %t with a factor of %g, want %t", c.name, matters, factor, c.matters)
		}
	}
}

// Equal sides pass for different ones in few launches, however noisy the machine is, as long as noise hits both alike.
func TestWearByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	const launches = 10_000
	for range launches {
		noise := func() float64 { return math.Exp(0.1 * rng.NormFloat64()) }
		if _, matters := wearMatters(pairsOf(mostWornPairs, 1, noise)); matters {
			found++
		}
	}
	if found > launches/100 {
		t.Errorf("%d of %d", found, launches)
	}
}

func TestEnoughWornPairs(t *testing.T) {
	for _, c := range []struct {
		pairs int
		spent time.Duration
		want  bool
	}{
		{0, 0, false}, {0, time.Hour, false}, {1, 2 * time.Second, false}, {1, 6 * time.Second, true},
		{2, 500 * time.Millisecond, false}, {2, 2 * time.Second, true}, {4, 500 * time.Millisecond, false},
		{5, 100 * time.Millisecond, false}, {5, 300 * time.Millisecond, true}, {14, 0, false}, {15, 0, true},
	} {
		if got := enoughWornPairs(pairsOf(c.pairs, 1.1, func() float64 { return 1 }), mostWornPairs, c.spent); got != c.want {
			t.Errorf("%d pairs in %s: %t", c.pairs, c.spent, got)
		}
	}
}

// Pairs end early only when no further ones could make them agree.
func TestEnoughContraryPairs(t *testing.T) {
	still := func() float64 { return 1 }
	for _, c := range []struct {
		slower, faster int
		want           bool
	}{{2, 2, false}, {10, 2, false}, {3, 3, true}, {3, 2, false}, {11, 3, true}} {
		pairs := append(pairsOf(c.slower, 1.1, still), pairsOf(c.faster, 0.9, still)...)
		got := enoughWornPairs(pairs, mostWornPairs, 0)
		if got != c.want {
			t.Errorf("%d and %d: %t", c.slower, c.faster, got)
		}
		all := append(pairs, pairsOf(mostWornPairs-len(pairs), 1.1, still)...)
		if _, matters := wearMatters(all); got && matters {
			t.Errorf("%d and %d: further pairs would agree", c.slower, c.faster)
		}
	}
	if !enoughWornPairs(pairsOf(briefWornPairs, 1.1, still), briefWornPairs, 0) {
		t.Error("a brief look takes too many pairs")
	}
}

// choice notes which contents a timer finds.
type choice struct{ worn bool }

func (c *choice) UseWorn(worn bool) { c.worn = worn }

// TestWornPairs measures pairs in a script: the sides alternate, and long calls have few pairs.
func TestWornPairs(t *testing.T) {
	for _, c := range []struct {
		name        string
		worn, fresh float64 // ns of a call
		pairs       int
	}{
		{"short", 500, 100_000, mostWornPairs}, {"equal", 20_000, 20_000, mostWornPairs},
		{"a millisecond", 1e3, 20e6, 5}, {"long", 300e6, 400e6, 2}, {"very long", 1e6, 100e9, 1},
	} {
		contents := &choice{}
		var order []bool
		s, timer := scriptedSession(func(_, calls int64) float64 {
			order = append(order, contents.worn)
			if contents.worn {
				return c.worn * float64(calls)
			}
			return c.fresh * float64(calls)
		}, invocations.Measure{})
		pairs, err := s.wornPairs(contents, timer, 1, mostWornPairs)
		if err != nil || len(pairs) != c.pairs {
			t.Errorf("%s: %d pairs, %v; want %d", c.name, len(pairs), err, c.pairs)
		}
		for _, p := range pairs {
			if p != (wornPair{c.worn, c.fresh}) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if first, last := order[0], order[len(order)-1]; len(pairs)%2 == 0 && first != last {
			t.Errorf("%s: a side is always the first", c.name)
		}
	}
}

func TestNoteWear(t *testing.T) {
	for factor, want := range map[float64]string{
		203:      "on what earlier calls have left they would be 203 times as fast: ",
		1570:     "would be 1570 times as fast: ",
		2.558:    "would be 2.56 times as fast: ",
		1 / 45.3: "would take 45.3 times as long: ",
		0.01:     "on what earlier calls have left they would take 100 times as long: ",
	} {
		if got := noteWear(factor); !strings.Contains(got, want) {
			t.Errorf("%g: %s", factor, got)
		}
	}
}

// Without room for both contents, nothing is compared, and the row says so: an executor that exceeds its limit would be
// killed for what nobody has asked for.
func TestNoRoomToCompare(t *testing.T) {
	call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	for _, c := range []struct {
		restore invocations.Restore
		later   bool
		noted   bool
	}{{"", false, true}, {invocations.RestoreAuto, false, true}, {invocations.RestoreNever, false, false}, {"", true, false}} {
		s, _ := scriptedSession(nil, invocations.Measure{Restore: c.restore})
		s.call = call
		m := &wire.Execute{Invocation: *s.inv, Trusted: c.later}
		r := invocations.Result{SamplesNS: []float64{1}}
		if err := s.measureRestored(m, levels{}, &r, 10); err != nil || r.Restored {
			t.Errorf("%+v: restored %t, %v", c, r.Restored, err)
		}
		noted := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "is not known: it takes 0 MiB more")
		if noted != c.noted || !noted && len(r.Notes) > 0 {
			t.Errorf("%+v: %q", c, r.Notes)
		}
	}
}
