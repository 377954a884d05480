package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

func TestEnough(t *testing.T) {
	crashed := invocations.Result{Status: invocations.Crashed}
	repeated := func(n int, r invocations.Result) []invocations.Result {
		return slices.Repeat([]invocations.Result{r}, n)
	}
	far := combinetest.LaunchesOf(1000, 1100, 900, 1200, 800)
	second := int64(time.Second)
	open := invocations.Measure{Precision: 0.01, MaxTimeNS: 2 * second}
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		results []invocations.Result
		each    time.Duration // of a launch
		want    bool
	}{
		{"one of five", open, repeated(1, combinetest.MadeUp(1000)), 100 * time.Millisecond, false},
		{"four of five", open, repeated(4, combinetest.MadeUp(1000)), 100 * time.Millisecond, false},
		{"five that agree", open, repeated(5, combinetest.MadeUp(1000)), 100 * time.Millisecond, false},
		{"seven that agree", open, repeated(7, combinetest.MadeUp(1000)), 100 * time.Millisecond, true},
		{"five that do not", open, far, 100 * time.Millisecond, false},
		{"five that do not, and no precision asked", invocations.Measure{MaxTimeNS: 2 * second}, far,
			100 * time.Millisecond, true},
		{"five, of which one was not quiet", open, append(repeated(4, combinetest.MadeUp(1000)), combinetest.Contended(1000)),
			100 * time.Millisecond, false},
		{"eight, of which six were quiet", open, append(repeated(6, combinetest.MadeUp(1000)), combinetest.Contended(1000),
			combinetest.Contended(1000)), 100 * time.Millisecond, false},
		{"eight, of which seven were quiet", open, append(repeated(7, combinetest.MadeUp(1000)), combinetest.Contended(1000)),
			100 * time.Millisecond, true},
		{"the next one would not fit into the time", open, far, 350 * time.Millisecond, true},
		{"two, and three more would take three times as long as allowed", open, repeated(2, combinetest.MadeUp(1000)),
			2100 * time.Millisecond, true},
		{"a slow one, of which three can be made", open, repeated(1, combinetest.MadeUp(1000)), 2100 * time.Millisecond,
			false},
		{"no limit, and launches that differ", invocations.Measure{Precision: 0.01}, far, time.Minute, false},
		{"no limit, one of five", invocations.Measure{Precision: 0.01}, far[:1], time.Minute, false},
		{"crashed", open, []invocations.Result{combinetest.MadeUp(1000), crashed}, time.Millisecond, true},
		{"called once", invocations.Measure{CheckOnly: true}, []invocations.Result{{Status: invocations.OK}},
			time.Millisecond, true},
		{"two of three that were asked for, slow", invocations.Measure{Launches: 3, MaxTimeNS: second},
			repeated(2, combinetest.MadeUp(1000)), time.Minute, false},
		{"three of three, far apart", invocations.Measure{Launches: 3, Precision: 0.01, MaxTimeNS: second}, far[:3],
			time.Millisecond, true},
		{"one of one", invocations.Measure{Launches: 1, Precision: 0.01, MaxTimeNS: second}, far[:1], time.Millisecond,
			true},
		{"as many as there can be", open, repeated(maxLaunches, combinetest.Contended(1000)), time.Microsecond, true},
		{"more were asked for", invocations.Measure{Launches: maxLaunches + 1, MaxTimeNS: second},
			repeated(maxLaunches, combinetest.MadeUp(1000)), time.Microsecond, false},
	} {
		s := seriesOf(c.measure, c.results...)
		s.Last, s.Spent = c.each, time.Duration(len(c.results))*c.each
		if got := s.enough(nil); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// A note tells of launches for which there was no time.
func TestAffordabilityNote(t *testing.T) {
	s := seriesOf(invocations.Measure{Precision: 0.01, MaxTimeNS: int64(time.Second)},
		combinetest.LaunchesOf(1000, 1000)...)
	s.Last, s.Spent = 2500*time.Millisecond, 5*time.Second
	if !s.enough(nil) {
		t.Error("a third launch of 2.5 s is made in a budget of 3 s")
	}
	out := s.Result(nil)
	if out.Stop != "max-time" || !slices.ContainsFunc(out.Notes, func(n string) bool {
		return strings.Contains(n, "2 of 5 launches were made, since one takes 2.5 s") &&
			strings.Contains(n, "--launches")
	}) {
		t.Errorf("stop %q, notes %q", out.Stop, out.Notes)
	}
	s = seriesOf(invocations.Measure{Launches: 2}, combinetest.LaunchesOf(1000, 1000)...)
	if out := s.Result(nil); len(out.Notes) > 0 || out.Stop != "launches" {
		t.Errorf("two launches that were asked for: stop %q, notes %q", out.Stop, out.Notes)
	}
}

// Without a limit of time, launches have none either; it used to be a nanosecond for each.
func TestNoLimit(t *testing.T) {
	for most, want := range map[int64]int64{0: 0, 3: 1, 5e9: 1e9} {
		s := seriesOf(invocations.Measure{MaxTimeNS: most})
		if m := messageOf(s, &Launch{}); m.Measure.MaxTimeNS != want {
			t.Errorf("limit %d: a launch may take %d ns, want %d", most, m.Measure.MaxTimeNS, want)
		}
	}
}

// What a launch is asked for: its share of the time, and what earlier launches have found.
func TestMessage(t *testing.T) {
	second := int64(time.Second)
	base := invocations.Measure{MinTimeNS: 10 * second, MaxTimeNS: 50 * second, MinIterations: 9, ProfileCalls: 3}
	ten := base
	ten.Launches = 10
	found := combinetest.MadeUp(1000)
	found.Restored, found.Canary.Why = true, "it is made up"
	type asked struct {
		min, max, iterations, profiled              int64
		trusted, brief, thorough, restored, clocked bool
		canary                                      string
		look                                        bool
	}
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		edit    func(*Series)
		launch  Launch
		want    asked
	}{
		{"first", base, nil, Launch{}, asked{min: 2 * second, max: 10 * second, iterations: 2, profiled: 3}},
		{"second", base, nil, Launch{Number: 1},
			asked{min: 2 * second, max: 10 * second, iterations: 2, trusted: true, restored: true, look: true}},
		{"third, after a first one on a busy machine", base, func(s *Series) { s.Results[1].Canary.Why = "" }, Launch{Number: 2},
			asked{min: 2 * second, max: 10 * second, iterations: 2, trusted: true, restored: true}},
		{"sixth", base, nil, Launch{Number: 5},
			asked{min: second / 2, max: 10 * second, iterations: 2, trusted: true, restored: true, canary: "it is made up"}},
		{"sixth of ten", ten, nil, Launch{Number: 5},
			asked{min: second, max: 5 * second, iterations: 1, trusted: true, restored: true, canary: "it is made up"}},
		{"short", ten, nil, Launch{Short: true},
			asked{min: second / 8, max: 5 * second, iterations: 1, profiled: 3, clocked: true}},
		{"of a pair", base, func(s *Series) { s.paired = true }, Launch{Number: 5},
			asked{min: 2 * second, max: 4 * second, iterations: 2, trusted: true, restored: true, clocked: true,
				canary: "it is made up"}},
		{"of a race", ten, func(s *Series) { s.most = 12 }, Launch{Look: briefLook, Short: true},
			asked{min: second / 16, max: 4 * (second / 16), iterations: 1, profiled: 3, brief: true, clocked: true}},
		{"of full length in a race", ten, func(s *Series) { s.most = 12 }, Launch{Number: 9},
			asked{min: second, max: 2 * second, iterations: 1, trusted: true, restored: true, canary: "it is made up"}},
		{"that looks thoroughly", ten, func(s *Series) { s.most = 12 }, Launch{Number: 2, Look: thoroughLook},
			asked{min: second, max: 2 * second, iterations: 1, trusted: true, thorough: true, canary: "it is made up"}},
		{"that shall be restored", base, func(s *Series) { s.Results, s.wants = nil, invocations.Fresh{Restored: true} }, Launch{},
			asked{min: 2 * second, max: 10 * second, iterations: 2, profiled: 3, restored: true}},
		{"called once", base, nil, Launch{Kind: Called},
			asked{min: 10 * second, max: 50 * second, iterations: 9, profiled: 3}},
	} {
		s := seriesOf(c.measure, slices.Repeat([]invocations.Result{found}, c.launch.Number)...)
		if c.edit != nil {
			c.edit(s)
		}
		m := messageOf(s, &c.launch)
		got := asked{m.Measure.MinTimeNS, m.Measure.MaxTimeNS, m.Measure.MinIterations, m.Measure.ProfileCalls,
			m.Trusted, m.Brief, m.Thorough, m.Restored, m.ScalarClock, m.NoCanary, m.LookForThreads}
		if got != c.want || m.Number != c.launch.Number || !m.Last || m.Short != c.launch.Short {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// seriesOf returns a series with what its launches gave.
func seriesOf(m invocations.Measure, results ...invocations.Result) *Series {
	s := &Series{Name: "f", Measure: m}
	s.Results = results
	return s
}

// messageOf returns the message of a launch.
func messageOf(s *Series, l *Launch) *wire.Execute {
	return s.Message(l, invocations.Invocation{ID: s.Name, Name: s.Name, Measure: s.Measure}, nil)
}
