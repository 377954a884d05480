package combine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// byWay are factors of the launches of each way.
type byWay [invocations.Ways]float64

// inWays returns quiet launches of a function of a microsecond, of which those of each way take so many times as long.
// Their medians differ by 0.1 % besides.
func inWays(launches int, factors byWay) (all []invocations.Result) {
	for i := range launches {
		ns := 1000 * factors[i%invocations.Ways] * (1 + 1e-4*float64(i*7%11-5))
		all = append(all, numbered(i, ns))
	}
	return all
}

func numbered(number int, ns float64) invocations.Result {
	return combinetest.With(combinetest.MadeUp(ns), func(r *invocations.Result) { r.Number = number })
}

// with returns launches of which some take 2 % longer.
func with(all []invocations.Result, slow ...int) []invocations.Result {
	for _, i := range slow {
		all[i] = numbered(i, 1020)
	}
	return all
}

func TestWays(t *testing.T) {
	const near = 3 // ns
	for _, c := range []struct {
		name             string
		launches         []invocations.Result
		low, value, high float64
		said             bool
	}{
		{"three kinds", inWays(44, byWay{1, 1.025, 1, 0.975}), 975, 1000, 1025, true},
		{"two kinds, one launch more of one", inWays(11, byWay{1.02, 0.98, 1.02, 0.98}), 980, 1000, 1020, true},
		{"one way differs", inWays(44, byWay{1, 1, 0.96, 1}), 960, 990, 1000, true},
		{"all four do", inWays(60, byWay{1.03, 1.01, 0.97, 0.99}), 970, 1000, 1030, true},
		{"by too little to be said", inWays(11, byWay{1.008, 0.992, 1.008, 0.992}), 992, 1000, 1008, false},
		{"no kinds", inWays(44, byWay{1, 1, 1, 1}), 1000, 1000, 1000, false},
		{"slow launches of different ways", with(inWays(44, byWay{1, 1, 1, 1}), 5, 10, 20, 31), 1000, 1000, 1000, false},
		{"a slow launch of two kinds", with(inWays(20, byWay{1.008, 0.992, 1.008, 0.992}), 5), 992, 1000, 1008, false},
		{"few launches", inWays(7, byWay{1, 1, 1, 1}), 1000, 1000, 1000, false},
	} {
		out := merged(c.launches)
		at := out.Spread.Reference
		if !at.Known() {
			t.Fatalf("%s: no time at the reference clock", c.name)
		}
		if math.Abs(at.Low-c.low) > near || math.Abs(at.Value-c.value) > near || math.Abs(at.High-c.high) > near {
			t.Errorf("%s: %+v", c.name, at)
		}
		said := strings.Contains(strings.Join(out.Notes, "; "), "depends on the instructions before its call")
		if slices.Contains(out.Verdicts, invocations.NotConverged) != c.said || said != c.said {
			t.Errorf("%s: %v, notes %q", c.name, out.Verdicts, out.Notes)
		}
	}
}

// Launches whose even ones are all slower than the odd ones are followed by others until that is known not to be chance.
func TestWaysTakeTenLaunches(t *testing.T) {
	for _, c := range []struct {
		name     string
		launches []invocations.Result
		enough   bool
	}{
		{"seven of two kinds", inWays(7, byWay{1.004, 0.996, 1.004, 0.996}), false},
		{"ten of two kinds", inWays(10, byWay{1.004, 0.996, 1.004, 0.996}), true},
		{"ten of which one may be chance", inWays(10, byWay{1, 1, 1, 1}), true},
		{"seven of one kind", inWays(7, byWay{1, 1, 1, 1}), true},
		{"seven whose kinds differ too little", inWays(7, byWay{1.001, 0.999, 1.001, 0.999}), true},
	} {
		l := Launches{Results: combinetest.Ended(c.launches...)}
		if got := l.Enough(0.01, nil); got != c.enough {
			t.Errorf("%s: enough %t", c.name, got)
		}
	}
}

// Launches without a median each, such as those without a clock, are of one kind, and so are times of nothing. Ways of
// which no launch was quiet do not count.
func TestWaysOfOtherLaunches(t *testing.T) {
	twelve := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	if w := waysOf([]int{0, 1}, []float64{1}); w.kinds != nil || w.open {
		t.Errorf("%+v", w)
	}
	if w := waysOf(twelve, []float64{0, 0.2, -0.1, 0.2, 0, 0.2, -0.1, 0.2, 0, 0.2, -0.1, 0.2}); w.kinds != nil || w.open {
		t.Errorf("of nothing: %+v", w)
	}
	odd := []float64{30, 20, 30, 20, 30, 20, 30, 20, 30, 20}
	if i := waysOf([]int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, odd).interval(odd); i.Value != 25 {
		t.Errorf("of odd launches only: %+v", i)
	}
	w := waysOf(twelve, []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2})
	if w.kinds == nil {
		t.Fatal("two kinds are not found")
	}
	few := []float64{1, 2, 3}
	if i := w.interval(few); i != stats.LaunchInterval(few) || w.note(i.Value, odds{}, "") != "" {
		t.Errorf("%+v of %+v", i, w)
	}
}
