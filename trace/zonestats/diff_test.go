package zonestats

import (
	"fmt"
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

// generated returns a capture of dispatches of a module. All its workgroups are as much slower or faster as the capture
// is, by the scatter of captures, and each dispatch has a scatter of its own. slower is by how much the last one takes
// longer than usual.
func generated(t *testing.T, r *rand.Rand, slower float64) *Summary {
	t.Helper()
	const dispatches, workgroups, between, own = 29, 20, 0.02, 0.01
	capture := 1 + between*r.NormFloat64()
	var groups [][]trace.Zone
	for i := range dispatches {
		ns := 10_000 * float64(i+1) * capture * (1 + own*r.NormFloat64())
		if i == dispatches-1 {
			ns *= 1 + slower
		}
		groups = append(groups, noisy(r, fmt.Sprintf("dispatch_%d", i), workgroups, ns))
	}
	return byName(t, groups...)
}

func captures(t *testing.T, r *rand.Rand, n int, slower float64) (list []*Summary) {
	t.Helper()
	for range n {
		list = append(list, generated(t, r, slower))
	}
	return list
}

// alarms returns how many names are called slower or faster.
func alarms(changes []Change) (n int) {
	for _, c := range changes {
		if c.Verdict == Slower || c.Verdict == Faster {
			n++
		}
	}
	return n
}

// Captures of one module differ by chance. A single one on a side decides nothing, however many workgroups it has, and
// several raise hardly ever an alarm.
func TestDiffOfEqualCaptures(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	const experiments = 40
	for _, n := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {2, 2}, {3, 3}, {5, 3}, {5, 5}} {
		alarmed := 0
		for range experiments {
			changes := Diff(captures(t, r, n[0], 0), captures(t, r, n[1], 0), 0.01)
			if alarms(changes) > 0 {
				alarmed++
			}
			for _, c := range changes {
				if single := min(n[0], n[1]) == 1; single != math.IsNaN(c.Difference.P) {
					t.Fatalf("%d against %d captures: p of %s is %g", n[0], n[1], c.Name, c.Difference.P)
				}
			}
		}
		if alarmed > 1 || alarmed > 0 && min(n[0], n[1]) == 1 {
			t.Errorf("%d against %d captures: an alarm in %d of %d experiments", n[0], n[1], alarmed, experiments)
		}
	}
}

// Four captures of each side find the dispatch that takes half as long again, and no other.
func TestDiffFindsOneDispatch(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 20 {
		for _, c := range Diff(captures(t, r, 4, 0), captures(t, r, 4, 0.5), 0.01) {
			if (c.Verdict == Slower) != (c.Name == "dispatch_28") || c.Verdict == Faster {
				t.Errorf("%s is %s: %.3f … %.3f, p = %g", c.Name, c.Verdict, c.Difference.Low, c.Difference.High, c.Difference.P)
			}
		}
	}
}

func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{50, 3000} { // exact and counted
		var before, after []*Summary
		for range 5 {
			before = append(before, byName(t, noisy(r, "slower", n, 10_000), noisy(r, "faster", n, 10_000),
				noisy(r, "same", n, 10_000), noisy(r, "removed", n, 10)))
			after = append(after, byName(t, noisy(r, "slower", n, 11_000), noisy(r, "faster", n, 9_000),
				noisy(r, "same", n, 10_000), noisy(r, "added", n, 10)))
		}
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

// TestDiffOfTwo: what differs between two captures is shown, and nothing is decided.
func TestDiffOfTwo(t *testing.T) {
	l := &trace.Location{Name: "x"}
	one := func(ns ...int64) []*Summary { return []*Summary{byName(t, zonetest.Repeated(l, ns...))} }
	c := Diff(one(1, 2, 3), one(100, 200, 300), 0.01)[0]
	if c.Verdict != Undecided || c.DeltaNS() != 594 || math.Abs(c.Difference.Ratio-100) > 1e-9 {
		t.Errorf("%s, %d ns, ratio %g", c.Verdict, c.DeltaNS(), c.Difference.Ratio)
	}
	if c := Diff(one(1000, 1000), one(1005, 1005), 0.01)[0]; c.Verdict != Same {
		t.Errorf("medians within the threshold: %s", c.Verdict)
	}
}

func TestDiffOfNothing(t *testing.T) {
	if c := Diff([]*Summary{{}}, []*Summary{{}}, 0.01); len(c) != 0 {
		t.Errorf("%v", c)
	}
	zero := byName(t, zonetest.Repeated(&trace.Location{Name: "x"}, 0, 0))
	if c := Diff([]*Summary{zero}, []*Summary{zero}, 0.01)[0]; c.Verdict != Same || !math.IsNaN(c.Difference.Ratio) {
		t.Errorf("zones without a duration: %s", c.Verdict)
	}
}

// TestDiffOfSides: sums are those of a capture, and captures that lack a name have none of it.
func TestDiffOfSides(t *testing.T) {
	with := byName(t, zonetest.Repeated(&trace.Location{Name: "x"}, 10, 20, 30))
	c := Diff([]*Summary{with, {}}, []*Summary{with, with}, 0.01)[0]
	if c.Before.Captures() != 1 || c.After.Captures() != 2 || c.Before.SumNS() != 30 || c.After.SumNS() != 60 ||
		c.After.Count() != 6 || c.DeltaNS() != 30 || c.Verdict != Same || !math.IsNaN(c.Difference.P) {
		t.Errorf("%+v: %d and %d ns", c, c.Before.SumNS(), c.After.SumNS())
	}
}
