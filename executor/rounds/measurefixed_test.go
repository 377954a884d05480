package rounds

import (
	"slices"
	"testing"

	"zonemark/executor/platform"
	"zonemark/invocations"
)

// A fixed number of calls is contended if its threads wait for a CPU while others have CPUs, and only then: the threads
// of a model may wait for each other, and others may have CPUs that nobody waits for.
func TestFixedContended(t *testing.T) {
	for _, c := range []struct {
		name      string
		compete   func(ns float64) platform.Contention
		contended bool
	}{
		{"the system does not tell", nil, false},
		{"quiet", func(ns float64) platform.Contention {
			return platform.Contention{Busy: 1 + int64(2*ns), Own: int64(2 * ns)}
		}, false},
		{"own threads wait for each other", func(ns float64) platform.Contention {
			return platform.Contention{Busy: 1 + int64(2*ns), Own: int64(2 * ns), Waited: int64(ns)}
		}, false},
		{"others on CPUs that are free", func(ns float64) platform.Contention {
			return platform.Contention{Busy: 1 + int64(4*ns), Own: int64(2 * ns)}
		}, false},
		{"two busy loops", func(ns float64) platform.Contention {
			return platform.Contention{Busy: 1 + int64(2*ns), Own: int64(ns / 2), Waited: int64(ns)}
		}, true},
		{"read once only", func(ns float64) platform.Contention {
			if ns == 0 {
				return platform.Contention{Busy: 1}
			}
			return platform.Contention{}
		}, false},
	} {
		s, timer := scriptedSession(steps(step{ns: 1e6}), invocations.Measure{Iterations: 5})
		timer.around.compete = c.compete
		s.calls, s.batches = 1, 1
		var r invocations.Result
		if err := s.sampleFixed(&r, 5); err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(r.Verdicts, invocations.Contended); got != c.contended || len(r.SamplesNS) != 5 {
			t.Errorf("%s: contended %v, %d calls", c.name, got, len(r.SamplesNS))
		}
		want := invocations.Canary{Batches: 5, Quiet: 5}
		if c.contended {
			want.Quiet, want.Interrupted = 0, 5
		}
		if r.Canary != want {
			t.Errorf("%s: %+v", c.name, r.Canary)
		}
	}
}
