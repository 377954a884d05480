package driver

import (
	"testing"
	"time"

	"zonemark/driver/combine"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// TestForecast: what is left follows from the limits, and from what finished invocations took of theirs.
func TestForecast(t *testing.T) {
	m := &invocations.Measure{MaxTimeNS: int64(10*time.Second) - int64(combine.LeastLaunches*combine.LaunchCost)}
	f := &forecast{workers: 1}
	expect := func(when string, least, want time.Duration, wantAtMost bool) {
		t.Helper()
		if left, atMost := f.left(least); left != want || atMost != wantAtMost {
			t.Errorf("%s: %v, at most: %t; want %v, %t", when, left, atMost, want, wantAtMost)
		}
	}
	for range 3 {
		f.add(m, 1)
	}
	expect("before anything", 0, 30*time.Second, true)
	f.launched(2 * time.Second)
	f.launched(2 * time.Second)
	expect("after two launches", 0, 26*time.Second, true)
	f.finished(m, 4*time.Second)
	expect("after one", 0, 8*time.Second, false)
	f.launched(3 * time.Second)
	f.launched(3 * time.Second)
	expect("with two in progress", 0, 2*time.Second, false)
	expect("while one needs longer", 5*time.Second, 5*time.Second, false)
	f.workers = 2
	expect("on two hosts", 0, time.Second, false)
	f.launched(time.Minute)
	expect("beyond all limits", 0, 0, false)
	f.add(&invocations.Measure{}, 1)
	expect("with one that has no limit", time.Second, 0, false)
}

// TestProgressOfRun: a run tells how long it has taken and will take, and what is known of the invocation that it measures.
func TestProgressOfRun(t *testing.T) {
	plan, _ := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Minute), MinTimeNS: 1, Launches: 3, CPU: -1})
	var all []Progress
	outcome, err := Execute(t.Context(), plan, Execution{
		Executor: &puppet{play: func(m *wire.Execute) *invocations.Result { return quick(m) }},
		Progress: func(p Progress) { all = append(all, p) },
	})
	if err != nil || outcome.Records.Len() != 2 || outcome.Partial.Len() != 0 {
		t.Fatalf("%v, %d records", err, outcome.Records.Len())
	}
	for i, p := range all {
		last := i > 0 && p.Elapsed < all[i-1].Elapsed
		switch known := p.Record != nil || p.Launch == 0 || p.MedianNS > 0; {
		case last, !known, p.Elapsed <= 0:
			t.Errorf("%d: %+v", i, p)
		case i == 0 && (!p.AtMost || p.Left < time.Minute || p.Left > 3*time.Minute):
			t.Errorf("at the begin: %+v", p)
		case i == len(all)-1 && p.Left != 0:
			t.Errorf("at the end: %+v", p)
		}
	}
	if len(all) != 2*3+2 {
		t.Errorf("it told %d times", len(all))
	}
}
