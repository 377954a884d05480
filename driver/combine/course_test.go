package combine

import (
	"slices"
	"strings"
	"testing"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// course returns a launch whose batches take these times, of which the thread works all the time.
func course(firstNS float64, batch func(i int) float64) invocations.Result {
	return combinetest.With(combinetest.MadeUp(100), func(r *invocations.Result) {
		r.FirstNS = firstNS
		for i := range r.SamplesNS {
			r.SamplesNS[i] = batch(i)
			r.CPUSamplesNS[i], r.CyclesSamples[i] = r.SamplesNS[i]+1, 4*r.SamplesNS[i]
		}
		r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
	})
}

// early returns a launch of calls of 100 ns, of which the first ones took so many nanoseconds with overhead.
func early(ns float64) invocations.Result {
	return combinetest.With(course(0, func(int) float64 { return 100 }), func(r *invocations.Result) {
		r.EarlyNS = ns
	})
}

// What calls leave outside of their arguments is not restored. If it changes the time of later calls, a note says so: a
// sort of static data took 0.5 µs and was clean, and its first call 105 µs.
func TestCourse(t *testing.T) {
	steady := func(int) float64 { return 100 }
	rising := func(i int) float64 { return 100 + 3*float64(i) }
	falling := func(i int) float64 { return 220 - 3*float64(i) }
	launches := func(n int, firstNS float64, batch func(int) float64) []invocations.Result {
		return slices.Repeat([]invocations.Result{course(firstNS, batch)}, n)
	}
	for _, c := range []struct {
		name string
		all  []invocations.Result
		want []string // beginnings of notes
	}{
		{"steady", launches(5, 3000, steady), nil},
		{"a first call that fills caches", launches(5, 40_000, steady), nil},
		{"a long first call", launches(5, 105_000, steady), []string{"the first call of a launch takes 105.0 µs"}},
		{"in a single launch", launches(1, 105_000, steady), []string{"the first call of a launch takes 105.0 µs"}},
		{"in one launch of five", append(launches(4, 3000, steady), course(105_000, steady)), nil},
		{"not in the first launch, which has compared results",
			append(launches(1, 100, steady), launches(4, 105_000, steady)...), []string{"the first call"}},
		{"early calls of another length", slices.Repeat([]invocations.Result{early(10)}, 5), []string{
			"calls take 9.000 ns at the begin of a launch, and later ones, whose time this is, 10 times as long"}},
		{"early calls that were longer", slices.Repeat([]invocations.Result{early(1000)}, 5), []string{
			"calls take 999.0 ns at the begin of a launch, and later ones, whose time this is, 0.1 times as long"}},
		{"early calls at a lower clock", slices.Repeat([]invocations.Result{early(150)}, 5), nil},
		{"early calls of another length in some launches", append(launches(2, 0, steady), early(10), early(10)), nil},
		{"a first call of a long function", launches(5, 150_000, func(int) float64 { return 100_000 }), nil},
		{"rising", launches(5, 0, rising), []string{"calls at the end of a launch take 1.7 times"}},
		{"falling", launches(5, 0, falling), []string{"calls at the end of a launch take 0.6 times"}},
		{"rising in all launches but one", append(launches(4, 0, rising), course(0, falling)), nil},
		{"rising in two launches", launches(2, 0, rising), nil},
	} {
		l := Launches{Results: combinetest.Ended(c.all...)}
		out := l.Merge(invocations.Measure{}, nil)
		var got []string
		for _, note := range out.Notes {
			if strings.Contains(note, "call of a launch") || strings.Contains(note, "calls at the end") ||
				strings.Contains(note, "at the begin of a launch, and") {
				got = append(got, note)
			}
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
