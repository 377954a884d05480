package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/invocations/testsize"
)

// noises are ways in which the logarithms of pairs of equal programs scatter evenly around 0.
var noises = map[string]func(*rand.Rand) []float64{
	"normal": func(r *rand.Rand) []float64 { return []float64{0.001 * r.NormFloat64()} },
	"one launch in ten is off": func(r *rand.Rand) []float64 {
		return []float64{0.001*r.NormFloat64() + wild(r, 0.1) - wild(r, 0.1)}
	},
	"two classes": func(r *rand.Rand) []float64 {
		return []float64{0.002*r.NormFloat64() + 0.3*float64(r.IntN(2)-r.IntN(2))}
	},
	"steps of a clock": func(r *rand.Rand) []float64 { return []float64{0.0137 * float64(r.IntN(3)-r.IntN(3))} },
	"turns":            func(r *rand.Rand) []float64 { return turns(r, 0.1) },
	"wild turns":       func(r *rand.Rand) []float64 { return turns(r, 0.2) },
	"launches differ more than turns": func(r *rand.Rand) []float64 {
		list, launch := turns(r, 0.1), 0.003*r.NormFloat64()
		for i := range list {
			list[i] += launch
		}
		return list
	},
}

// wild returns a large number with a chance, else 0.
func wild(r *rand.Rand, chance float64) float64 {
	if r.Float64() < chance {
		return 0.3 * r.Float64()
	}
	return 0
}

// turns returns the ratios of the turns of a launch, each side of which is wild with a chance. Some are not known.
func turns(r *rand.Rand, chance float64) (list []float64) {
	for range 1 + r.IntN(4) {
		list = append(list, 0.001*r.NormFloat64()+wild(r, chance)-wild(r, chance))
	}
	return list
}

// inOnes makes pairs of one ratio each.
func inOnes(ratios []float64) (pairs [][]float64) {
	for v := range slices.Chunk(ratios, 1) {
		pairs = append(pairs, v)
	}
	return pairs
}

// looking runs trials of pairs up to a number. It returns how many trials there were, in how many of them any look is
// significant at each of the levels, and in how many the intervals of all looks hold the effect.
func looking(noise func(*rand.Rand) []float64, effect float64, pairs int, levels ...float64) (trials int, found []int,
	covered int) {
	trials = testsize.Of(100, 1000)
	random := rand.New(rand.NewPCG(7, 7))
	found = make([]int, len(levels))
	for range trials {
		var s Sequential
		var d [][]float64
		least, all := 1.0, true
		for len(d) < pairs {
			one := noise(random)
			for i := range one {
				one[i] += effect
			}
			if d = append(d, one); !s.Wanted(len(d)) && len(d) < pairs {
				continue
			}
			look := s.Look(d, len(d) == pairs)
			least = min(least, look.P)
			all = all && look.Low <= math.Exp(effect) && math.Exp(effect) <= look.High
		}
		for i, level := range levels {
			if least <= level {
				found[i]++
			}
		}
		if all {
			covered++
		}
	}
	return trials, found, covered
}

func TestSequentialLevel(t *testing.T) {
	countsRates(t)
	levels := []float64{0.01, 0.05, 0.2} // at higher ones, fewer trials tell as much
	sum, alarms := 0, make([]int, len(levels))
	for name, noise := range noises {
		trials, found, covered := looking(noise, 0, 90, levels...)
		t.Logf("%s: of %d trials, %v have alarms at the levels of %v, and intervals of %d cover", name, trials, found,
			levels, covered)
		for i, level := range levels {
			if most := testsize.AtMost(trials, 1.4*level); found[i] > most {
				t.Errorf("%s: %d of %d trials have alarms at the level of %g, want at most %d", name, found[i], trials,
					level, most)
			}
			alarms[i] += found[i]
		}
		if least := testsize.AtLeast(trials, 0.94); covered < least {
			t.Errorf("%s: all intervals cover in %d of %d trials, want at least %d", name, covered, trials, least)
		}
		sum += trials
	}
	for i, level := range levels {
		if most := testsize.AtMost(sum, level); alarms[i] > most {
			t.Errorf("%d of all %d trials have alarms at the level of %g, want at most %d", alarms[i], sum, level, most)
		}
	}
}

func TestSequentialPower(t *testing.T) {
	for _, c := range []struct {
		noise string
		pairs int
		share float64 // of trials that find an effect of three deviations
	}{{"normal", 10, 0.9}, {"one launch in ten is off", 90, 0.9}, {"wild turns", 20, 0.6}} {
		trials, found, _ := looking(noises[c.noise], 0.003, c.pairs, 0.01)
		t.Logf("%s, %d pairs: found in %d of %d trials", c.noise, c.pairs, found[0], trials)
		if least := testsize.AtLeast(trials, c.share); found[0] < least {
			t.Errorf("%s: an effect of three deviations is found by %d pairs in %d of %d trials, want at least %d",
				c.noise, c.pairs, found[0], trials, least)
		}
	}
}

// TestSymmetryTestIsExact counts all ways to change the signs of a few pairs, none of which is clipped.
func TestSymmetryTestIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	for range 50 {
		x := make([]float64, 4+random.IntN(6))
		for i := range x {
			x[i] = (1 + 0.9*random.Float64()) * float64(1-2*random.IntN(2))
		}
		sum := func(ways int) (sum float64) {
			for i, v := range x {
				sum += v * float64(1-2*(ways>>i&1))
			}
			return math.Abs(sum)
		}
		as := 0
		for way := range 1 << len(x) {
			if sum(way) >= sum(0)*(1-1e-9) {
				as++
			}
		}
		if got, want := SymmetryTest(inOnes(x)), float64(as)/float64(int(1)<<len(x)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: p is %v, want %v", x, got, want)
		}
	}
}

// The last look has what the looks before it left of the level, less one fifth, but at least one fifth.
func TestSequentialLastLook(t *testing.T) {
	pairs := []float64{1, 2, 3, 4, 5, 6, 7, 8} // all of one sign: p is 1 in 128
	for looks, want := range []float64{5.0 / 4, 5.0 / 3, 5.0 / 2, 5, 5} {
		var s Sequential
		for range looks {
			s.Look(inOnes(slices.Repeat([]float64{-1, 1}, 4)), false)
		}
		if d := s.Look(inOnes(pairs), true); math.Abs(d.P*128-want) > 1e-9 {
			t.Errorf("after %d looks, p is %v / 128, want %v", looks, d.P*128, want)
		}
	}
	if d := new(Sequential).Look(inOnes(pairs), false); math.Abs(d.P*128-5) > 1e-9 {
		t.Errorf("the first of five looks has p %v / 128", d.P*128)
	}
}

func TestSequentialLooks(t *testing.T) {
	var s Sequential
	if d := s.Look(inOnes(make([]float64, leastPairs-1)), false); !math.IsNaN(d.P) || s.looks != 0 {
		t.Errorf("five pairs: p %v, %d looks", d.P, s.looks)
	}
	var at []int
	for n := range 1000 {
		if s.Wanted(n) {
			s.Look(inOnes(make([]float64, n)), false)
			at = append(at, n)
		}
	}
	if len(at) != mostLooks || at[0] != 10 || at[4] != 810 || !s.Over() {
		t.Errorf("looks after %v pairs", at)
	}
	s = Sequential{}
	same := s.Look(inOnes(make([]float64, leastPairs)), false)
	if same.P != 1 || same.Low != 1 || same.High != 1 || same.Detectable != 0 {
		t.Errorf("equal pairs: %+v", same)
	}
	differ := new(Sequential).Look(inOnes(slices.Repeat([]float64{0.1}, 10)), false)
	if differ.P > 0.01 || math.Abs(differ.Low-math.Exp(0.1)) > 1e-12 {
		t.Errorf("pairs that all differ alike: %+v", differ)
	}
}
