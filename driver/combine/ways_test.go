package combine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
)

// inWays returns quiet launches of a function of a microsecond, of which those of each way take so many times as long.
// Their medians differ by 0.1 % besides.
func inWays(launches int, factors [invocations.Ways]float64) (all []invocations.Result) {
	for i := range launches {
		ns := 1000 * factors[i%invocations.Ways] * (1 + 1e-4*float64(i*7%11-5))
		all = append(all, combinetest.With(combinetest.MadeUp(ns), func(r *invocations.Result) { r.Number = i }))
	}
	return all
}

func TestWays(t *testing.T) {
	three := [invocations.Ways]float64{1, 1.025, 1, 0.975} // the middle of the launches is that of two ways
	for _, c := range []struct {
		name      string
		launches  []invocations.Result
		low, high float64 // that the interval reaches; 0: the time itself
	}{
		{"three kinds of launches", inWays(44, three), 975, 1025},
		{"one kind differs", inWays(44, [invocations.Ways]float64{1, 1, 0.96, 1}), 960, 0},
		{"by too little to matter", inWays(44, [invocations.Ways]float64{1, 1.007, 1, 0.995}), 0, 0},
		{"no difference", inWays(44, [invocations.Ways]float64{1, 1, 1, 1}), 0, 0},
		{"another launch than one of a way is slow", func() []invocations.Result {
			all := inWays(44, [invocations.Ways]float64{1, 1, 1, 1})
			for _, i := range []int{5, 10, 20, 31} {
				all[i] = combinetest.With(combinetest.MadeUp(1020), func(r *invocations.Result) { r.Number = i })
			}
			return all
		}(), 0, 0},
	} {
		out := merged(c.launches)
		at := out.Spread.Time
		if out.Spread.Reference.Known() {
			at = out.Spread.Reference
		}
		if math.Abs(at.Value/1000-1) > 0.002 || (at.Low < 990) != (c.low > 0) || c.low > 0 && at.Low > c.low*1.001 ||
			(at.High > 1010) != (c.high > 0) || c.high > 0 && at.High < c.high*0.999 {
			t.Errorf("%s: %+v", c.name, at)
		}
		differ := c.low > 0 || c.high > 0
		said := strings.Contains(strings.Join(out.Notes, "; "), "depends on the instructions before its call")
		if slices.Contains(out.Verdicts, invocations.NotConverged) != differ || said != differ {
			t.Errorf("%s: %v, notes %q", c.name, out.Verdicts, out.Notes)
		}
	}
}

// Five launches are too few to tell ways apart.
func TestWaysOfFewLaunches(t *testing.T) {
	if w := waysOf([]int{0, 1, 2, 3, 4}, []float64{1, 2, 1, 2, 1}); w != (ways{}) {
		t.Errorf("of five launches: %+v", w)
	}
	if w := waysOf([]int{0, 1}, []float64{1}); w != (ways{}) {
		t.Errorf("with a median for one of two launches: %+v", w)
	}
}
