package rounds

import (
	"slices"
	"strings"
	"testing"

	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Calls that leave work to a thread are unfinished in each round of a launch that looks, and nothing is looked for if
// nobody asks, or if there are no threads.
func TestNoteUnfinished(t *testing.T) {
	const call, leaves = 1e3, 20e3
	for _, c := range []struct {
		name         string
		threads, ask bool
		iterations   int64
		want         bool
	}{
		{name: "asked", threads: true, ask: true, want: true},
		{name: "not asked", threads: true},
		{name: "no threads", ask: true},
		{name: "a fixed number of calls", threads: true, ask: true, iterations: 100},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 20e6, MaxTimeNS: 1e9, Iterations: c.iterations}
		s, around := scriptedLaunch(steps(step{0, call}), m)
		timer := s.timer.(*scripted)
		s.watch.threads.ours = &platform.ThreadClocks{}
		around.helpers = func(ns float64) float64 {
			if c.threads && ns < leaves*float64(timer.made) {
				return 1
			}
			return 0
		}
		message := &wire.Execute{Invocation: *s.inv, LookForLeft: c.ask}
		if err := s.FindUnfinished(message, func() bool { return c.threads }); err != nil {
			t.Fatal(err)
		}
		if (timer.made > 0) != c.want {
			t.Errorf("%s: %d calls to find out", c.name, timer.made)
		}
		for round := range 2 {
			r := invocations.Result{Verdicts: []invocations.Verdict{invocations.Clean}}
			if err := s.noteUnfinished(&r); err != nil {
				t.Fatal(err)
			}
			said := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "leave work to threads") })
			if said != c.want || slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Unfinished}) != c.want {
				t.Errorf("%s, round %d: %v, %q", c.name, round, r.Verdicts, r.Notes)
			}
		}
	}
}

// Whether calls leave work is looked for if others work beside them each time, and not if some seem to have worked once.
func TestHelpedAgain(t *testing.T) {
	const call = 1e3
	helps := effort{wallNS: 1e5, ownNS: 1e5, othersNS: 2e4}
	for _, c := range []struct {
		name   string
		early  effort
		always float64
		looks  bool
	}{
		{"once", helps, 0, false},
		{"each time", helps, 0.2, true},
		{"later only", effort{wallNS: 1e5, ownNS: 1e5}, 0.2, false},
	} {
		s, around := scriptedLaunch(steps(step{0, call}), invocations.Measure{Mode: invocations.Warm})
		s.watch.threads.ours, s.watch.threads.early = &platform.ThreadClocks{}, c.early
		around.helpers = func(float64) float64 { return c.always }
		if err := s.FindUnfinished(&wire.Execute{Invocation: *s.inv, LookForLeft: true}, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		if looks := around.ns > 2*c.early.wallNS; looks != c.looks {
			t.Errorf("%s: looked for %v ns", c.name, around.ns)
		}
	}
}

// A short call takes many times as long with the loop around it as without: in a row it takes no longer than in batches.
func TestShortCallsInARow(t *testing.T) {
	const call, loop = 0.4, 1.4
	for _, c := range []struct {
		name   string
		inARow float64 // times as long
		want   bool
	}{{"as long", 1, false}, {"twice as long", 2, true}} {
		s, around := scriptedLaunch(func(_, calls int64) float64 {
			if calls > 10 {
				return c.inARow * (call + loop) * float64(calls)
			}
			return (call + loop) * float64(calls)
		}, invocations.Measure{Mode: invocations.Warm})
		s.watch.threads.ours = &platform.ThreadClocks{}
		around.helpers = func(float64) float64 { return 0 }
		if err := s.FindUnfinished(&wire.Execute{Invocation: *s.inv, LookForLeft: true}, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		r := invocations.Result{}
		r.Summary.MedianNS, r.OverheadNS = call, loop
		if err := s.noteUnfinished(&r); err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "many calls in a row") })
		if said != c.want {
			t.Errorf("%s in a row: notes %q", c.name, r.Notes)
		}
	}
}
