package zonestats

import (
	"math"
	"math/rand/v2"
	"testing"

	"zonemark/trace"
	"zonemark/trace/internal/zonetest"
)

func byName(t *testing.T, groups ...[]trace.Zone) *Summary {
	t.Helper()
	var all []trace.Zone
	for _, g := range groups {
		all = append(all, g...)
	}
	s, err := Summarize(zonetest.Zones(nil, all...), Options{ByName: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// noisy returns n zones of about ns, with a tail.
func noisy(random *rand.Rand, name string, n int, ns float64) []trace.Zone {
	durations := make([]int64, n)
	for i := range durations {
		durations[i] = int64(ns * (1 + 0.02*random.ExpFloat64()))
	}
	return zonetest.Repeated(&trace.Location{Name: name}, durations...)
}

func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{50, 3000} { // exact and counted
		before := byName(t, noisy(r, "slower", n, 10_000), noisy(r, "faster", n, 10_000), noisy(r, "same", n, 10_000),
			noisy(r, "removed", n, 10))
		after := byName(t, noisy(r, "slower", n, 11_000), noisy(r, "faster", n, 9_000), noisy(r, "same", n, 10_000),
			noisy(r, "added", n, 10))
		changes := Diff(before, after, 0.02)
		verdicts := map[string]Verdict{}
		for _, c := range changes {
			verdicts[c.Name] = c.Verdict
		}
		for name, want := range map[string]Verdict{"slower": Slower, "faster": Faster, "same": Same, "removed": Removed,
			"added": Added} {
			if verdicts[name] != want {
				t.Errorf("%d zones of %s: %s", n, name, verdicts[name])
			}
		}
		if changes[0].Name != "slower" || changes[len(changes)-1].Name != "faster" {
			t.Errorf("from %s to %s", changes[0].Name, changes[len(changes)-1].Name)
		}
	}
}

// TestDiffOfFewIsUndecided: three against three can be chance however far they are apart.
func TestDiffOfFewIsUndecided(t *testing.T) {
	l := &trace.Location{Name: "x"}
	c := Diff(byName(t, zonetest.Repeated(l, 1, 2, 3)), byName(t, zonetest.Repeated(l, 100, 200, 300)), 0.01)[0]
	if c.Verdict != Undecided || c.DeltaNS() != 594 || c.Ratio() != 100 {
		t.Errorf("%s, %d ns, ratio %g", c.Verdict, c.DeltaNS(), c.Ratio())
	}
}

func TestDiffOfNothing(t *testing.T) {
	if c := Diff(&Summary{}, &Summary{}, 0.01); len(c) != 0 {
		t.Errorf("%v", c)
	}
	zero := byName(t, zonetest.Repeated(&trace.Location{Name: "x"}, 0, 0))
	if c := Diff(zero, zero, 0.01)[0]; c.Verdict != Same || !math.IsNaN(c.Ratio()) {
		t.Errorf("zones without a duration: %s", c.Verdict)
	}
}

// TestDiffOfEqualsFindsNothing with names enough that several would be significant by chance without the correction.
func TestDiffOfEqualsFindsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var before, after [][]trace.Zone
	for i := range 200 {
		name := string(rune('a'+i/26)) + string(rune('a'+i%26))
		before, after = append(before, noisy(r, name, 20, 1000)), append(after, noisy(r, name, 20, 1000))
	}
	for _, c := range Diff(byName(t, before...), byName(t, after...), 0) {
		if c.Verdict == Slower || c.Verdict == Faster {
			t.Errorf("%s is %s, p = %g", c.Name, c.Verdict, c.P)
		}
	}
}

// TestDiffFindsOneAmongManyThatOccurOnce: names that can never be significant do not make it harder for the others.
func TestDiffFindsOneAmongManyThatOccurOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var once [][]trace.Zone
	for i := range 500 {
		once = append(once, noisy(r, string(rune('α'+i)), 1, 1000))
	}
	before := byName(t, append(once, noisy(r, "x", 8, 1000))...)
	after := byName(t, append(once, noisy(r, "x", 8, 2000))...)
	for _, c := range Diff(before, after, 0.01) {
		if (c.Verdict == Slower) != (c.Name == "x") {
			t.Errorf("%s is %s, p = %g", c.Name, c.Verdict, c.P)
		}
	}
}
