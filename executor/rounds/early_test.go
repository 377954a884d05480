package rounds

import (
	"testing"

	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// TestEarlyCalls: a launch tells what calls took at first. If they take another time after some milliseconds, what was
// before was taken for warming up, without a word.
func TestEarlyCalls(t *testing.T) {
	for _, c := range []struct {
		name        string
		calls       func(first, calls int64) float64
		early, want float64
	}{
		{"slower after 100,000 calls", steps(step{100_000, 200}, step{0, 2000}), 200, 2000},
		{"slower while warming up", steps(step{6000, 200}, step{0, 2000}), 200, 2000},
		{"faster after 10,000 calls", steps(step{10_000, 2000}, step{0, 200}), 2000, 200},
		{"steady", steps(step{0, 200}), 200, 200},
		{"slower first calls", steps(step{8, 20_000}, step{0, 200}), 200, 200},
		{"calls of which few are a window", steps(step{1, 500e6}, step{0, 2e6}), 0, 2e6},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 40e6, MaxTimeNS: 500e6, Precision: 0.01}
		s, _ := scriptedLaunch(c.calls, m)
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if gross := r.Summary.MedianNS + r.OverheadNS; r.EarlyNS != c.early || gross != c.want {
			t.Errorf("%s: %v ns at first, then %v; want %v and %v", c.name, r.EarlyNS, gross, c.early, c.want)
		}
	}
}
