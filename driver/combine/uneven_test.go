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

// A program waits for the mean of calls that are not alike. A function of which one call in ten takes ten times as long was
// clean with the time of the other nine, and compared by it.
func TestCallsThatAreNotAlike(t *testing.T) {
	rare := func(every int, ns float64) func(int) float64 {
		return func(i int) float64 {
			if i%every == every-1 {
				return ns
			}
			return 100
		}
	}
	same := func(batch func(int) float64, change func(*invocations.Result)) []invocations.Result {
		launch := course(0, batch)
		if change != nil {
			launch = combinetest.With(launch, change)
		}
		return slices.Repeat([]invocations.Result{launch}, 5)
	}
	steady, tenth := rare(1000, 100), rare(10, 2000)
	ofFew := combinetest.With(course(0, rare(4, 133)), func(r *invocations.Result) {
		r.SamplesNS, r.CPUSamplesNS, r.CyclesSamples = r.SamplesNS[:12], r.CPUSamplesNS[:12], r.CyclesSamples[:12]
	})
	means := func(batch func(int) float64) float64 { return stats.Unevenness(course(0, batch).SamplesNS) * 100 }
	for _, c := range []struct {
		name   string
		all    []invocations.Result
		wantNS float64 // 100: calls are alike
	}{
		{"alike", same(steady, nil), 100},
		{"one in ten twenty times as long", same(tenth, nil), means(tenth)},
		{"one in four a third longer", same(rare(4, 133), nil), means(rare(4, 133))},
		{"a little longer, as beside other work", same(rare(4, 112), nil), 100},
		{"half of the calls short", same(func(i int) float64 { return []float64{100, 100, 20}[i%3] }, nil),
			means(func(i int) float64 { return []float64{100, 100, 20}[i%3] })},
		{"in one launch of five", append(same(steady, nil)[:4], course(0, tenth)), 100},
		{"in two launches", same(tenth, nil)[:2], means(tenth)},
		{"a little in two launches", same(rare(4, 133), nil)[:2], 100},
		{"a little in two, and in one of few batches", append(same(rare(4, 133), nil)[:2], ofFew), means(rare(4, 133))},
		{"in a single launch", same(tenth, nil)[:1], 100},
		{"other work, which takes no CPU time of the thread", same(tenth, func(r *invocations.Result) {
			r.CPUSamplesNS = slices.Repeat([]float64{101}, len(r.SamplesNS))
			r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
		}), 100},
		{"a given number of calls", same(tenth, func(r *invocations.Result) { r.Stop = invocations.StopIterations }), 100},
		{"threads of its own", same(tenth, func(r *invocations.Result) { r.Canary = invocations.Canary{Why: "threads"} }), 100},
	} {
		l := Launches{Results: combinetest.Ended(c.all...)}
		out := l.Merge(invocations.Measure{}, nil)
		uneven := c.wantNS != 100
		if got := out.Summary.MedianNS; math.Abs(got/c.wantNS-1) > 1e-9 {
			t.Errorf("%s: %v ns, want %v", c.name, got, c.wantNS)
		}
		noted := slices.ContainsFunc(out.Notes, func(note string) bool { return strings.Contains(note, "not alike") })
		if noted != uneven || out.Spread.Unevenness > 0 != uneven {
			t.Errorf("%s: notes %q, unevenness %v", c.name, out.Notes, out.Spread.Unevenness)
		}
	}
}

// Beside a neighbour, launches go on until they have quiet batches, of which those of calls that are not alike look more
// alike. They have more batches than others, and tell less.
func TestUnevenBesideANeighbour(t *testing.T) {
	uneven := course(0, func(i int) float64 { return []float64{100, 100, 134}[i%3] })
	beside := combinetest.With(course(0, func(i int) float64 { return []float64{120, 120, 124}[i%3] }), func(r *invocations.Result) {
		r.SamplesNS, r.CPUSamplesNS = slices.Repeat(r.SamplesNS, 3), slices.Repeat(r.CPUSamplesNS, 3)
		r.Discarded.Disturbed = 2 * int64(len(r.SamplesNS))
	})
	for quiet, want := range map[int]bool{2: false, 3: true} {
		all := combinetest.Ended(append(slices.Repeat([]invocations.Result{uneven}, quiet), beside, beside)...)
		if u := unevennessOf(all); (u.factors != nil) != want {
			t.Errorf("%d quiet launches: %+v", quiet, u)
		}
	}
}

// What neighbours do in the middle of a batch shows in its CPU time, and not in the probes around it. Batches that were set
// apart show by how much: a matrix product of 23 us took "27 us, since its calls are not alike".
func TestNeighboursMakeNoCallsUneven(t *testing.T) {
	launch := func(slow float64, apart ...float64) invocations.Result {
		return combinetest.With(course(0, func(i int) float64 {
			if i%20 < 3 {
				return slow
			}
			return 100
		}), func(r *invocations.Result) {
			r.Apart.CPUNS, r.Discarded.Disturbed = apart, int64(len(r.SamplesNS))/2
		})
	}
	for _, c := range []struct {
		name   string
		launch invocations.Result
		uneven bool
	}{
		{"as slow as beside a neighbour", launch(160, 160, 165, 155, 101), false},
		{"slower than beside a neighbour", launch(400, 160, 165, 155, 101), true},
		{"a quiet core", launch(160, 160, 100, 100, 100, 100, 100, 100), true},
		{"none was set apart", launch(160), true},
	} {
		all := combinetest.Ended(slices.Repeat([]invocations.Result{c.launch}, 5)...)
		for i := range all {
			reduceApart(&all[i])
		}
		u := unevennessOf(all)
		if (u.factors != nil) != c.uneven || u.doubt.more > 0 == c.uneven {
			t.Errorf("%s: %+v", c.name, u)
		}
	}
}

// Some launches have met no long call of a few rare ones. Further launches tell.
func TestRareCallsAskForFurtherLaunches(t *testing.T) {
	steady := course(0, func(int) float64 { return 100 })
	rare := course(0, func(i int) float64 {
		if i == 20 {
			return 3000
		}
		return 100
	})
	for _, c := range []struct {
		name   string
		all    []invocations.Result
		enough bool
	}{
		{"none in seven launches", slices.Repeat([]invocations.Result{steady}, 7), true},
		{"in two of seven", slices.Concat(slices.Repeat([]invocations.Result{steady}, 5),
			slices.Repeat([]invocations.Result{rare}, 2)), false},
		{"in one of sixteen", append(slices.Repeat([]invocations.Result{steady}, 15), rare), true},
	} {
		l := Launches{Results: combinetest.Ended(c.all...)}
		if enough := l.Enough(0.01, nil); enough != c.enough {
			t.Errorf("%s: enough %v, want %v", c.name, enough, c.enough)
		}
		// As long as they do not tell, the interval reaches the mean.
		out := l.Merge(invocations.Measure{Precision: 0.01}, nil)
		if wide := out.Summary.CIHighNS > 1.1*out.Summary.MedianNS; wide == c.enough ||
			slices.Contains(out.Verdicts, invocations.NotConverged) == c.enough {
			t.Errorf("%s: up to %v ns, %v", c.name, out.Summary.CIHighNS, out.Verdicts)
		}
	}
}

// Long calls are set apart more often: a thread that works for 20 ms is more often interrupted than one for 0.2. Batches
// that neighbours made longer tell nothing.
func TestLongCallsThatWereSetApart(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart []float64 // CPU times
		want  float64
	}{
		{"none was set apart", nil, 1},
		{"beside a neighbour", slices.Repeat([]float64{170}, 10), 1},
		{"long ones", []float64{101, 101, 101, 2020}, 1 + 4.0/104*19/4},
	} {
		r := combinetest.With(course(0, func(int) float64 { return 100 }), func(r *invocations.Result) {
			r.SamplesNS, r.CPUSamplesNS = slices.Repeat([]float64{100}, 100), slices.Repeat([]float64{101}, 100)
			r.Apart.CPUNS, r.Discarded.Disturbed = c.apart, int64(len(c.apart))
		})
		reduceApart(&r)
		if got := unevenIn(&r); math.Abs(got-c.want) > 1e-9 || r.Apart.CPUNS != nil {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Launches of few batches, in which no call was long, count for little.
func TestMeansOfShortLaunches(t *testing.T) {
	long := course(0, func(i int) float64 { return []float64{100, 100, 100, 700}[i%4] })
	short := combinetest.With(course(0, func(int) float64 { return 100 }), func(r *invocations.Result) {
		r.SamplesNS, r.CPUSamplesNS = r.SamplesNS[:6], r.CPUSamplesNS[:6]
	})
	l := Launches{Results: combinetest.Ended(short, long, short, long, short, short)}
	if ns := l.Merge(invocations.Measure{}, nil).Summary.MedianNS; ns < 190 || ns > 250 {
		t.Errorf("%v ns, want about 220", ns)
	}
}

// As long as few batches are known, calls that seem not to be alike make the time doubtful.
func TestDoubt(t *testing.T) {
	few := func(ns ...float64) invocations.Result {
		return combinetest.With(course(0, func(int) float64 { return 100 }), func(r *invocations.Result) {
			r.SamplesNS, r.CPUSamplesNS = ns, ns
		})
	}
	for _, c := range []struct {
		name string
		all  []invocations.Result
		want float64
	}{
		{"no launch", nil, 0},
		{"alike", []invocations.Result{few(100, 100, 100), few(100, 110, 100)}, 0},
		{"one of six longer", []invocations.Result{few(100, 100, 100), few(100, 700, 100)}, 1},
		{"means already", slices.Repeat([]invocations.Result{few(100, 100, 100, 100, 700)}, 3), 0},
	} {
		l := Launches{Results: combinetest.Ended(c.all...)}
		if got := l.Doubt(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
