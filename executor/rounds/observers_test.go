package rounds

import (
	"testing"

	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// TestOneLookBetweenEntries: what is seen after an entry is what was seen before the next one, if that follows right
// after it, and only then.
func TestOneLookBetweenEntries(t *testing.T) {
	const entries = 20
	for _, c := range []struct {
		name    string
		between func(s *sampling, around *script) // entries
		want    int                               // looks
	}{
		{"nothing", func(*sampling, *script) {}, entries + 1},
		{"our bookkeeping", func(_ *sampling, around *script) { around.ns += 2e3 }, entries + 1},
		{"restored arguments", func(_ *sampling, around *script) { around.ns += 50e3 }, 2 * entries},
		{"the empty function", func(s *sampling, _ *script) {
			s.empty = stats.NewThinned[empty](mostEmpty) // else there are enough of its batches
			if err := s.emptyTurn(); err != nil {
				t.Fatal(err)
			}
		}, 2 * entries},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 20e6, MaxTimeNS: 1e9}
		around := &script{}
		s := scriptedLaunchIn(around, steps(step{0, 100}), steps(step{0, 50}), m)
		s.calls, s.batches = 1000, 1
		run := newSampling(s, newBudget(m, s.now), noise.Levels{})
		around.probed, around.looked = 0, 0
		for range entries {
			if err := run.group(); err != nil {
				t.Fatal(err)
			}
			c.between(run, around)
		}
		if around.probed != c.want || around.looked != c.want {
			t.Errorf("%s: %d probes and %d looks at the threads, want %d", c.name, around.probed, around.looked, c.want)
		}
	}
}
