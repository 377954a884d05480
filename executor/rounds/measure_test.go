package rounds

import (
	"testing"
	"time"

	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// Without a limit, a launch has all the time; a limit is one.
func TestBudgetLimit(t *testing.T) {
	for most, want := range map[int64]bool{0: false, 1: true, int64(time.Hour): false} {
		b := newBudget(invocations.Measure{MaxTimeNS: most}, (&script{}).now)
		b.start = b.start.Add(-time.Second)
		if over := b.spentNS() >= b.maxNS; over != want {
			t.Errorf("limit of %d ns: over %t after a second", most, over)
		}
	}
}

// A short launch makes calls of a millisecond before its batches, and not if its first call was a long one.
func TestShortLaunchWarmsUpOnce(t *testing.T) {
	for _, c := range []struct {
		short       bool
		ns          float64 // of a call
		least, most int64
	}{{true, 0.6e6, 0, 0}, {true, 0.25e6, 3, 9}, {false, 1.5e6, 2, 9}} {
		s, _ := scriptedLaunch(steps(step{0, c.ns}), invocations.Measure{MinTimeNS: 10e6, MaxTimeNS: 100e6})
		s.short, s.trusted, s.checkedNS, s.watch.threads.known = c.short, true, c.ns, true
		r, err := s.measureRound(noise.Levels{})
		if err != nil || r.WarmupCalls < c.least || r.WarmupCalls > c.most || r.CallsPerBatch != 1 {
			t.Errorf("short %t, calls of %g ns: %d calls before batches of %d; %v", c.short, c.ns, r.WarmupCalls, r.CallsPerBatch,
				err)
		}
	}
}
