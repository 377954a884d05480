package rounds

import (
	"slices"
	"testing"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

func TestHelped(t *testing.T) {
	for _, c := range []struct {
		name   string
		effort effort
		blind  bool
		want   bool
	}{
		{"alone", effort{wallNS: 100e3, ownNS: 100e3}, false, false},
		{"a helper", effort{wallNS: 100e3, ownNS: 100e3, othersNS: 90e3}, false, true},
		{"a helper of a thread that waits", effort{wallNS: 100e3, ownNS: 5e3, othersNS: 90e3}, false, true},
		{"a helper that does a little", effort{wallNS: 100e3, ownNS: 100e3, othersNS: 6e3}, false, true},
		{"next to nothing", effort{wallNS: 100e3, ownNS: 100e3, othersNS: 4e3}, false, false},
		{"two threads that have a fifth of a CPU", effort{wallNS: 1000e3, ownNS: 200e3, othersNS: 150e3}, false, true},
		{"two threads that have little of a CPU", effort{wallNS: 1000e3, ownNS: 40e3, othersNS: 30e3}, false, true},
		{"one thread that has little of a CPU", effort{wallNS: 1000e3, ownNS: 40e3, othersNS: 1e3}, false, false},
		{"sleeps, and Go works a little", effort{wallNS: 1000e3, ownNS: 10e3, othersNS: 10e3}, false, false},
		{"Go's monitor", effort{wallNS: 100e3, ownNS: 10e3, othersNS: 25e3}, true, false},
		{"a helper, and Go's monitor", effort{wallNS: 100e3, ownNS: 10e3, othersNS: 90e3}, true, true},
		{"nothing", effort{}, false, false},
	} {
		if got := c.effort.helped(c.blind); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestEnoughSeen(t *testing.T) {
	for _, c := range []struct {
		name   string
		effort effort
		want   bool
	}{
		{"too soon", effort{wallNS: 90, ownNS: 90}, false},
		{"it works", effort{wallNS: 100, ownNS: 100}, true},
		{"others work", effort{wallNS: 100, ownNS: 10, othersNS: 40}, true},
		{"it gets no CPU", effort{wallNS: 390, ownNS: 10, othersNS: 10}, false},
		{"it has got a CPU", effort{wallNS: 390, ownNS: 30, othersNS: 20}, true},
		{"it sleeps", effort{wallNS: 400}, true},
	} {
		if got := enoughSeen(c.effort, 100); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestCrowded(t *testing.T) {
	const second = 1e9
	for _, c := range []struct {
		name                string
		busy, idle, process int64 // in a second
		want                bool
	}{
		{"two threads on two CPUs", 2 * second, 0, 1.99 * second, false},
		{"eight threads on two CPUs that others hardly use", 2 * second, 0, 1.8 * second, false},
		{"beside eight loops", 2 * second, 0, 0.5 * second, true},
		{"beside one loop", 2 * second, 0, 1.4 * second, true},
		{"beside a loop, with CPUs to spare", 3 * second, 5 * second, 2 * second, false},
		{"the process sleeps on a busy machine", 2 * second, 0, 0, true},
		{"the system does not tell", 0, 0, 1.8 * second, false},
	} {
		before, after := platform.Contention{}, platform.Contention{}
		if c.busy > 0 {
			before = platform.Contention{Busy: 5, Idle: 6, Own: 7}
			after = platform.Contention{Busy: 5 + c.busy, Idle: 6 + c.idle, Own: 7 + c.process}
		}
		if got := after.Crowded(before, second); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if (platform.Contention{Busy: 1 + 20e6, Own: 5e6}).Crowded(platform.Contention{Busy: 1}, 20e6) {
		t.Error("a tick or two look like other work")
	}
}

// Threads that calls make and join work in each batch, if ever so little of the time on a busy machine.
func TestHelpedAlways(t *testing.T) {
	starved := effort{wallNS: 20e6, ownNS: 60e3, othersNS: 80e3}
	asleep := effort{wallNS: 20e6, ownNS: 60e3}
	for _, c := range []struct {
		name  string
		seen  []effort
		blind bool
		want  bool
	}{
		{"none", nil, false, false},
		{"one long call", []effort{{wallNS: 1e9, ownNS: 5e8, othersNS: 5e8}}, false, true},
		{"joined, starved", []effort{starved, starved, starved, asleep}, false, true},
		{"one batch, interrupted, and a new thread of Go's", []effort{{wallNS: 15e6, ownNS: 1e5, othersNS: 6e4}}, false, false},
		{"a thread of Go's, once", []effort{asleep, {wallNS: 20e6, ownNS: 60e3, othersNS: 9e6}, asleep, asleep}, false, false},
		{"threads whose time shows at ticks", []effort{{wallNS: 1e6, ownNS: 1e6}, {wallNS: 1e6, ownNS: 1e6},
			{wallNS: 1e6, ownNS: 1e6, othersNS: 4e6}, {wallNS: 1e6, ownNS: 1e6, othersNS: 4e6}, {wallNS: 1e6, ownNS: 1e6}},
			false, true},
		{"reading the clocks", slices.Repeat([]effort{{wallNS: 1e6, ownNS: 20e3, othersNS: 3e3}}, 9), false, false},
		{"Go's monitor", slices.Repeat([]effort{{wallNS: 1e6, ownNS: 9e5, othersNS: 2e5}}, 9), true, false},
		{"calls that sleep, and a new thread of Go's", slices.Repeat([]effort{{wallNS: 60e6, ownNS: 80e3, othersNS: 19e3},
			{wallNS: 5.2e6, ownNS: 50e3, othersNS: 13e3}}, 3), false, false}, // seen at load 16
	} {
		around := &script{}
		w := &threadWatch{thread: &executor.OnThread{}, around: around}
		if !c.blind {
			w.ours = &platform.ThreadClocks{}
		}
		w.beginRound()
		for _, e := range c.seen {
			if err := w.begin(&entry{}); err != nil {
				t.Fatal(err)
			}
			around.ns, around.own, around.others = around.ns+e.wallNS, around.own+e.ownNS, around.others+e.othersNS
			w.end(&entry{})
		}
		if got := w.helpedAlways(); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// Threads that only the batches have shown share the CPUs with other work since the first batch.
func TestThreadsFoundLate(t *testing.T) {
	around := &script{compete: func(ns float64) platform.Contention {
		return platform.Contention{Busy: 1 + int64(2*ns), Own: int64(ns / 2)}
	}}
	w := &threadWatch{thread: &executor.OnThread{}, around: around}
	w.beginBatches(false)
	around.ns += 1e9
	w.others = true
	r := invocations.Result{}
	if w.report(nil, &r, nil); !slices.Contains(r.Verdicts, invocations.Contended) {
		t.Errorf("verdicts %v", r.Verdicts)
	}
}

// A launch whose threads take the CPU from the measuring thread again and again is not contended, unless other work does
// so too. Threads that are made and joined used to be unseen, and to be other work: "other work took the CPU in 1460 of
// 1503 batches", contended, too-short.
func TestOwnThreadsAreNoOtherWork(t *testing.T) {
	always := func(float64) bool { return true }
	for _, c := range []struct {
		name    string
		helpers float64 // CPUs that its threads use
		beside  float64 // that other work uses
		looked  bool    // an earlier launch has looked
		probed  bool
		want    invocations.Verdict
	}{
		{name: "alone beside other work", beside: 1, probed: true, want: invocations.Contended},
		{name: "alone, and interrupted", probed: true, want: invocations.Contended},
		{name: "threads", helpers: 1.5, want: invocations.Clean},
		{name: "threads that no launch has seen so far", helpers: 1.5, looked: true, want: invocations.Clean},
		{name: "threads beside other work", helpers: 0.3, beside: 1.2, want: invocations.Contended},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 200e6, MaxTimeNS: 1e9}
		s, around := scriptedLaunch(steps(step{0, 500e3}), m)
		around.taken, around.beside = always, c.beside
		around.helpers = func(float64) float64 { return c.helpers }
		s.watch.threads.ours, s.watch.threads.known = &platform.ThreadClocks{}, c.looked
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		r.Summary = stats.Summarize(r.SamplesNS, r.CPUSamplesNS)
		if !slices.Equal(r.Verdicts, []invocations.Verdict{c.want}) || (r.Canary.Batches > 0) != c.probed {
			t.Errorf("%s: %v, %d batches with probes, %q", c.name, r.Verdicts, r.Canary.Batches, r.Notes)
		}
		if helped := len(r.SamplesNS) == 0 || c.helpers > 0 && r.Discarded.Disturbed > 0; helped {
			t.Errorf("%s: %d samples, %d batches were set apart", c.name, len(r.SamplesNS), r.Discarded.Disturbed)
		}
	}
}
