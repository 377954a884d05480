package rounds

import (
	"math"
	"slices"
	"testing"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// emptyNS is the time of a call of the empty function in a scripted launch.
const emptyNS = 1.5

// scriptedLaunch returns a session of native code that has probes and whose calls take the times of a script. Calls of
// the empty function take emptyNS.
func scriptedLaunch(ns func(first, calls int64) float64, m invocations.Measure) (*Session, *script) {
	around := &script{}
	return scriptedLaunchIn(around, ns, steps(step{0, emptyNS}), m), around
}

// scriptedLaunchIn is scriptedLaunch in other surroundings, with another empty function.
func scriptedLaunchIn(around *script, ns, empty func(first, calls int64) float64, m invocations.Measure) *Session {
	with := &Instruments{
		around: around, clock: scriptedClock, canary: &native.Canary{}, hasCanary: true, readNS: 1,
	}
	s := sessionOf(&executor.Native{}, &scripted{ns: ns, around: around}, with, m)
	s.emptied = &scripted{ns: empty, around: around}
	return s
}

// TestLongFirstCalls measures functions whose first calls take much longer than later ones. A batch must not be sized by
// the first call: it would hold a single call, and would mostly measure the clock. A first call that takes all of its
// share for warming up is not charged to that share.
func TestLongFirstCalls(t *testing.T) {
	for _, c := range []struct {
		name      string
		ns        func(first, calls int64) float64
		maxMS     int64
		low, high int64 // calls of a batch
		least     int64 // calls before the first sample
		want      float64
	}{
		{"50 ms at first", steps(step{1, 50e6}, step{0, 6.5}), 1500, 8000, 40_000, 1, 5},
		{"longer than its share", steps(step{1, 50e6}, step{0, 6.5}), 250, 8000, 40_000, 1, 5},
		{"longer than all the time", steps(step{1, 500e6}, step{0, 6.5}), 250, 8000, 40_000, 1, 5},
		{"2,000 calls of 10 µs", steps(step{2000, 10e3}, step{0, 101.5}), 1000, 500, 2500, 2000, 100},
		{"steady", steps(step{0, 101.5}), 1000, 500, 2500, 100, 100},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 40e6, MaxTimeNS: c.maxMS * 1e6, Precision: 0.01}
		s, _ := scriptedLaunch(c.ns, m)
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if r.CallsPerBatch < c.low || r.CallsPerBatch > c.high || r.WarmupCalls < c.least {
			t.Errorf("%s: %d calls a batch after %d calls, want %d to %d after at least %d",
				c.name, r.CallsPerBatch, r.WarmupCalls, c.low, c.high, c.least)
		}
		if got := slices.Max(r.SamplesNS); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: a sample of %g ns, want %g", c.name, got, c.want)
		}
		if len(r.SamplesNS) >= fewestQuiet && !slices.Equal(r.Verdicts, []invocations.Verdict{invocations.Clean}) {
			t.Errorf("%s: %v", c.name, r.Verdicts)
		}
	}
}

// TestLookForThreads finds whether other threads than the calling one do the work. Probes on this core say nothing of
// theirs.
func TestLookForThreads(t *testing.T) {
	always := func(share float64) func(float64) float64 { return func(float64) float64 { return share } }
	for _, c := range []struct {
		name    string
		helpers func(ns float64) float64
		idle    float64
		waits   bool // the call may wait for a device
		blind   bool // the system does not tell threads apart
		found   string
		looked  bool
		want    string // why there are no probes
	}{
		{name: "one thread"},
		{name: "a helper", helpers: always(0.9), want: threadsWork},
		{name: "a helper that does a little", helpers: always(0.1), want: threadsWork},
		{name: "next to nothing", helpers: always(0.025)},
		{name: "threads at first", helpers: func(ns float64) float64 {
			if ns < float64(2*threadsTime) {
				return 1
			}
			return 0
		}},
		{name: "Go's monitor", helpers: always(0.25), blind: true},
		{name: "a helper, not told apart", helpers: always(0.9), blind: true, want: threadsWork},
		{name: "sleeps", idle: 1},
		{name: "waits for a device", idle: 0.9, waits: true, want: othersWork},
		{name: "waits for its threads", helpers: always(1), idle: 0.9, waits: true, want: othersWork},
		{name: "could wait", waits: true},
		{name: "found by the first launch", found: threadsWork, looked: true, want: threadsWork},
		{name: "not found by the first launch", helpers: always(0.9), looked: true, want: threadsWork},
		{name: "a helper beside other work", helpers: always(0.04), idle: 0.9, want: threadsWork},
		{name: "sleeps, and Go works a little", helpers: always(0.01), idle: 1},
	} {
		m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 20e6, MaxTimeNS: 1e9}
		s, around := scriptedLaunch(steps(step{0, 100}), m)
		around.helpers, around.idle, around.ours = c.helpers, c.idle, 0.2
		watch := s.watch.threads
		watch.thread.Waits, watch.found, watch.known = c.waits, c.found, c.looked
		if !c.blind {
			watch.ours = &platform.ThreadClocks{}
		}
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Canary.Why != c.want || watch.others != (c.want != "") {
			t.Errorf("%s: no probes because %q, want %q; threads %t", c.name, r.Canary.Why, c.want, watch.others)
		}
		if probed := r.Canary.Batches > 0; probed != (c.want == "") {
			t.Errorf("%s: probes around %d batches", c.name, r.Canary.Batches)
		}
	}
}

// TestEmptyFromShortLaunch measures an empty function and one that takes four cycles, while other work shares the core
// or takes the CPU every now and then. What disturbs the loop over the empty function must not count as overhead: the
// short function would then take no time, or a negative one.
func TestEmptyFromShortLaunch(t *testing.T) {
	now := func(share float64) func(float64) bool { // true in this share of every 10 ms
		return func(ns float64) bool { return math.Mod(ns, 10e6) < share*10e6 }
	}
	for _, c := range []struct {
		name             string
		shared, taken    func(float64) bool
		takenInEmpty     int // first batches over the empty function in which the CPU is taken
		contended, quiet bool
	}{
		{name: "a quiet machine", quiet: true},
		{name: "a core that is shared at times", shared: now(0.6), quiet: true},
		{name: "a CPU that is taken at times", taken: now(0.6), quiet: true},
		{name: "a CPU that is taken beside the function", takenInEmpty: 50, quiet: true},
		{name: "a CPU that is always taken", taken: now(1), contended: true},
	} {
		for name, want := range map[string]float64{"empty": 0, "chained": 4 / 3.0} {
			for begin := 0.0; begin < 10e6; begin += 1e6 { // sampling begins in a disturbance, or not
				around := &script{ns: begin, shared: c.shared, taken: c.taken}
				r := disturbedLaunch(t, around, want, c.takenInEmpty)
				if got := slices.Contains(r.Verdicts, invocations.Contended); got != c.contended {
					t.Errorf("%s on %s: %v", name, c.name, r.Verdicts)
				}
				if median := stats.Median(r.SamplesNS); c.quiet && math.Abs(median-want) > 0.01 {
					t.Errorf("%s on %s: %.3f ns, want %.3f; the empty function takes %.3f", name, c.name, median, want,
						r.OverheadNS)
				}
			}
		}
	}
}

// TestShortLaunchOnSharedCore: a short launch does not wait for a quiet core. Half of the time of batches on a shared one
// counts.
func TestShortLaunchOnSharedCore(t *testing.T) {
	for short, want := range map[bool]float64{false: 100e6, true: 20e6} {
		around := &script{shared: func(ns float64) bool { return ns > 3e6 }}
		s := scriptedLaunchIn(around, steps(step{0, 100}), steps(step{0, emptyNS}),
			invocations.Measure{Mode: invocations.Warm, MinTimeNS: 10e6, MaxTimeNS: 100e6})
		s.short, s.trusted = short, short
		r, err := s.measureRound(noise.Levels{Ports: 2})
		if err != nil || around.ns < want || around.ns > 1.5*want {
			t.Errorf("short %t: %g ms, stop %s; %v", short, around.ns/1e6, r.Stop, err)
		}
	}
}

// disturbedLaunch measures a function that takes so many nanoseconds more than an empty one. Calls of both take twice as
// long while the core is shared, or if the CPU is taken, as in the first batches over the empty one.
func disturbedLaunch(t *testing.T, around *script, longerNS float64, takenInEmpty int) invocations.Result {
	t.Helper()
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 20e6, MaxTimeNS: 150e6, Precision: 0.01}
	calls := func(perCall float64) func(first, calls int64) float64 {
		return func(_, calls int64) float64 {
			ns := perCall * float64(calls)
			if around.shared != nil && (around.shared(around.ns) || around.shared(around.ns+ns)) ||
				around.taken != nil && around.taken(around.ns+2*ns) {
				return 2 * ns
			}
			return ns
		}
	}
	empty := func(first, n int64) float64 {
		ns := calls(emptyNS)(first, n)
		if takenInEmpty > 0 {
			takenInEmpty--
			around.interruptions++
			ns *= 2
		}
		return ns
	}
	s := scriptedLaunchIn(around, calls(emptyNS+longerNS), empty, m)
	r, err := s.measureRound(noise.Levels{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
