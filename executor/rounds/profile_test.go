package rounds

import (
	"testing"

	"zonemark/executor/platform"
	"zonemark/invocations"
)

// The profile of calls during which other work took the CPU says so, and that of others does not.
func TestProfileUnderLoad(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		s, timer := scriptedSession(steps(step{ns: 1e6}), invocations.Measure{ProfileCalls: 3})
		timer.around.compete = func(ns float64) platform.Contention {
			c := platform.Contention{Busy: 1 + int64(2*ns), Own: int64(2 * ns)}
			if loaded {
				c.Own, c.Waited = int64(ns), int64(ns)
			}
			return c
		}
		s.call.Profile = func(calls int64) (invocations.Profile, error) {
			_, err := timer.Run(1, int(calls))
			return invocations.Profile{CallNS: 1e6}, err
		}
		var r invocations.Result
		if err := s.profile(&r, func(string) {}); err != nil {
			t.Fatal(err)
		}
		if r.Contended != loaded || (len(r.Notes) > 0) != loaded || r.Source != invocations.ByProfiler {
			t.Errorf("loaded %v: %+v, %q", loaded, r.Profile, r.Notes)
		}
	}
}
