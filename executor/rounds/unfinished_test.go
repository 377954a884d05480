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
