package rounds

import (
	"math"
	"slices"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// scripted is a timer that runs nothing: a script gives the times of its batches.
type scripted struct {
	ns      func(first, calls int64) float64 // time of a batch that begins with this call, counted from 0
	around  *script                          // in which these times pass
	made    int64
	prelude int64
	sizes   []int64 // calls of each run
}

func (s *scripted) Run(calls int64, batches int) ([]float64, error) {
	s.sizes = append(s.sizes, calls)
	var all []float64
	for range batches {
		if s.prelude > 0 {
			s.around.pass(s.ns(s.made, s.prelude))
			s.made += s.prelude
		}
		ns := s.ns(s.made, calls)
		s.around.pass(ns)
		all = append(all, ns)
		s.made += calls
	}
	return all, nil
}

func (s *scripted) SetPrelude(calls int) { s.prelude = int64(calls) }

func (s *scripted) Close() {}

// step is a part of a script, whose calls all take ns.
type step struct {
	until int64 // the first call of the next step; unused in the last step
	ns    float64
}

// steps returns a script that goes through the steps in order.
func steps(all ...step) func(first, calls int64) float64 {
	return func(first, calls int64) float64 {
		total := 0.0
		for i, s := range all {
			n := calls
			if i < len(all)-1 {
				n = max(0, min(calls, s.until-first))
			}
			total += float64(n) * s.ns
			first, calls = first+n, calls-n
		}
		return total
	}
}

// script is the surroundings of scripted timers. Time passes only in their batches, and the thread works all the time,
// unless the script says something else.
type script struct {
	ns, own, others float64                  // time, and CPU time of the thread and of others, so far
	holds           time.Duration            // of scalar code before the clock is that of scalar code
	idle            float64                  // share of the time that the thread does not work
	helpers         func(ns float64) float64 // CPU time that other threads take in a nanosecond, at this time
	ours            float64                  // share of the time that Go's threads take, if they are not told apart
	shared          func(ns float64) bool    // the core is shared at this time, which probes show
	taken           func(ns float64) bool    // other work takes the CPU in a batch that ends at this time
	interruptions   int64
	system          float64                              // time that the system has worked for the thread so far
	compete         func(ns float64) platform.Contention // what the system counts of other work, at this time
	beside, free    float64                              // CPUs that other work uses, and that are idle
	ghz             func(ns float64) float64             // clock that neighbours leave to scalar code at this time; nil: 3 GHz
	busy            bool                                 // others take the core from all scalar work
	lowers          float64                              // share by which calls lower the clock
	stops           func(batchNS float64) float64        // by how much stops lengthen batches; nil: there are none
	probed, looked  int                                  // number of probes, and of looks at the CPU time of all threads
	on              int                                  // the CPU; negative: not known
	scalars         int                                  // number of looks at scalar code
}

// clock returns the clock of code that lowers it by a share.
func (s *script) clock(lowers float64) float64 {
	ghz := 3.0
	if s.ghz != nil {
		ghz = s.ghz(s.ns)
	}
	return ghz * (1 - lowers)
}

// pass lets the time of a batch pass.
func (s *script) pass(ns float64) {
	if s.helpers != nil {
		s.others += ns * s.helpers(s.ns)
	}
	s.ns += ns
	s.own += ns * (1 - s.idle)
	if s.taken != nil && s.taken(s.ns) {
		s.interruptions++
		s.own -= ns / 2
	}
}

func (s *script) now() time.Time { return time.Unix(0, int64(s.ns)) }

// sleep lets time pass in which the thread does not work, and others may.
func (s *script) sleep(d time.Duration) {
	if s.helpers != nil {
		s.others += float64(d) * s.helpers(s.ns)
	}
	s.ns += float64(d)
}

func (s *script) usage() platform.Usage {
	return platform.Usage{Involuntary: s.interruptions, SystemNS: int64(s.system)}
}

func (s *script) cpuNS() int64 { return int64(s.own) }

func (s *script) work(ours *platform.ThreadClocks) work {
	s.looked++
	others := s.others
	if ours == nil {
		others += s.ours * s.ns
	}
	return work{s.now(), int64(s.own), int64(others)}
}

func (s *script) othersReady(*platform.ThreadClocks) bool {
	return s.helpers != nil && s.helpers(s.ns) > 0
}

func (s *script) contention() platform.Contention {
	if s.compete != nil {
		return s.compete(s.ns)
	}
	process := s.own + s.others
	return platform.Contention{
		Own: int64(process), Busy: 1 + int64(process+s.beside*s.ns), Idle: int64(s.free * s.ns),
	}
}

func (s *script) cpu() int { return s.on }

func (s *script) probe(*native.Canary, *native.MemoryCanary) noise.Probes {
	s.probed++
	if s.shared != nil && s.shared(s.ns) {
		return probeOf(s.clock(s.lowers), 4)
	}
	return probeOf(s.clock(s.lowers), 2)
}

// scalar lets the time of scalar work pass.
func (s *script) scalar(_ *native.Canary, atLeast time.Duration, _ bool, batchNS float64) native.ScalarLook {
	s.scalars++
	s.ns += float64(atLeast)
	s.own += float64(atLeast)
	look := native.ScalarLook{GHz: s.clock(s.lowers)}
	switch held := atLeast < s.holds; {
	case s.busy:
		return native.ScalarLook{}
	case !held:
		s.holds, look.GHz = 0, s.clock(0)
	}
	if s.stops != nil {
		look.Stops = s.stops(batchNS)
	}
	return look
}

func (s *script) chainNS(native.Clock) float64 { return 1 }

// scriptedClock is the clock of scripted timers.
var scriptedClock = native.Clock{Name: "scripted", TicksPerNS: 1, ResolutionNS: 10}

// instrumentsOf returns instruments of this machine, with a clock.
func instrumentsOf(clock native.Clock) *Instruments {
	return &Instruments{around: system{}, clock: clock}
}

// sessionOf returns a session of a workload whose batches a timer makes.
func sessionOf(w executor.Workload, t timers.Timer, with *Instruments, m invocations.Measure) *Session {
	return &Session{
		inv: &invocations.Invocation{Measure: m}, call: callOf(w), timer: t, clock: with.clock, instruments: with,
		watch: newObservers(w, with),
	}
}

// scriptedSession returns a session in scripted surroundings, without a canary.
func scriptedSession(ns func(first, calls int64) float64, m invocations.Measure) (*Session, *scripted) {
	t := &scripted{ns: ns, around: &script{}}
	return sessionOf(&executor.Function{}, t, &Instruments{around: t.around, clock: scriptedClock, hasCanary: true}, m), t
}

// TestWarmupCalls: the calls that the user wants are made before all others, and no more of them at once than may be in
// a batch.
func TestWarmupCalls(t *testing.T) {
	for _, c := range []struct{ want, most int64 }{{0, 0}, {1, 0}, {1000, 0}, {1000, 300}} {
		s, timer := scriptedSession(steps(step{ns: 1e6}), invocations.Measure{})
		s.call.Work = &executor.Function{OnThread: executor.OnThread{MaxCallsPerBatch: c.most}}
		if err := s.makeWarmupCalls(c.want); err != nil {
			t.Fatal(err)
		}
		if timer.made != c.want || s.warmed != c.want {
			t.Errorf("%d calls were made and %d counted, want %d", timer.made, s.warmed, c.want)
		}
		if c.most > 0 && (len(timer.sizes) == 0 || slices.Max(timer.sizes) > c.most) {
			t.Errorf("%v calls at once, want %d at most", timer.sizes, c.most)
		}
	}
}

// plenty returns a budget that no script spends.
func plenty() budget {
	return newBudget(invocations.Measure{MaxTimeNS: int64(time.Hour)}, (&script{}).now)
}

// spent returns a budget whose share for warming up is spent.
func spent(m invocations.Measure) budget {
	b := newBudget(m, (&script{}).now)
	b.start = b.start.Add(-15 * time.Second)
	return b
}

func TestChooseBatch(t *testing.T) {
	warm, flush := invocations.Measure{Mode: invocations.Warm}, invocations.Measure{Mode: invocations.Flush}
	for _, c := range []struct {
		name     string
		ns       func(first, calls int64) float64
		measure  invocations.Measure
		work     executor.Workload
		low      int64 // calls of a batch
		high     int64
		prelude  int64
		batches  int
		leastRun int64 // calls at least before the batch is chosen
	}{
		{"steady", steps(step{0, 100}), warm, &executor.Native{}, 750, 3000, 1, 1, 2000},
		{"a cycle", steps(step{0, 0.25}), warm, &executor.Native{}, 300_000, 1_200_000, 1, 1, 0},
		{"30 µs", steps(step{0, 30_000}), warm, &executor.Native{}, 3, 10, 0, 1, 9},
		{"a batch of one", steps(step{0, 90_000}), warm, &executor.Native{}, 1, 1, 0, 1, 9},
		{"a second", steps(step{0, 1e9}), warm, &executor.Native{}, 1, 1, 0, 1, 2},
		{"first call of 50 ms", steps(step{1, 50e6}, step{0, 5}), warm, &executor.Native{}, 15_000, 60_000, 1, 1, 1},
		{"first 300 calls slow, and faster each", func(first, calls int64) float64 {
			return steps(step{300, 200 * float64(300-first)}, step{0, 20})(first, calls)
		}, warm, &executor.Native{}, 3750, 15_000, 1, 1, 300},
		{"each call a fixed batch", steps(step{0, 5}), invocations.Measure{CallsPerBatch: 7}, &executor.Native{}, 7, 7, 1, 1, 14},
		{"at most 16", steps(step{0, 5}), warm, &executor.Function{OnThread: executor.OnThread{MaxCallsPerBatch: 16}}, 16, 16, 0, 1, 16},
		{"four native calls each", steps(step{0, 100}), warm, &executor.Native{CallsPerInvocation: 4}, 750, 3000, 4, 1, 0},
		{"single calls in groups", steps(step{0, 10_000}), flush, &executor.Native{}, 1, 1, 0, 100, 9},
		{"single calls in the largest groups", steps(step{0, 100}), flush, &executor.Native{}, 1, 1, 0, maxGroup, 9},
		{"single long calls", steps(step{0, 1e6}), flush, &executor.Native{}, 1, 1, 0, 1, 2},
	} {
		s, timer := scriptedSession(c.ns, c.measure)
		s.call.Work = c.work
		if err := s.chooseBatch(plenty()); err != nil {
			t.Fatal(err)
		}
		if s.calls < c.low || s.calls > c.high || s.batches != c.batches {
			t.Errorf("%s: %d calls in %d batches, want %d to %d in %d",
				c.name, s.calls, s.batches, c.low, c.high, c.batches)
		}
		if timer.prelude != c.prelude || s.prelude != c.prelude/s.each() {
			t.Errorf("%s: a prelude of %d native calls for %d, want %d", c.name, timer.prelude, s.prelude, c.prelude)
		}
		if s.warmed < c.leastRun {
			t.Errorf("%s: chosen after %d calls", c.name, s.warmed)
		}
	}
}

// TestChooseBatchShort: before a short launch that is the first one, two windows of warming up that agree are enough, or
// two long calls. Before others, one window of batches of the right size is enough.
func TestChooseBatchShort(t *testing.T) {
	for _, c := range []struct {
		short, trusted bool
		ns             float64 // a call
		want           int64   // calls
	}{
		{false, false, 300_000, 12}, {false, true, 300_000, 12}, {true, false, 300_000, 8}, {true, true, 300_000, 4},
		{false, false, 600_000, 6}, {true, false, 600_000, 2}, {true, true, 600_000, 2},
	} {
		s, _ := scriptedSession(steps(step{0, c.ns}), invocations.Measure{Mode: invocations.Warm})
		s.short, s.trusted = c.short, c.trusted
		if err := s.chooseBatch(plenty()); err != nil || s.warmed != c.want {
			t.Errorf("%+v: %d calls; %v", c, s.warmed, err)
		}
	}
}

// TestChooseBatchGivesUp measures calls that are never steady: choosing ends with the share of the budget for warming
// up.
func TestChooseBatchGivesUp(t *testing.T) {
	s, timer := scriptedSession(func(first, calls int64) float64 {
		return 100 * float64(calls) * (1 + float64(first/8000%2))
	}, invocations.Measure{})
	const share = 50e6
	if err := s.chooseBatch(newBudget(invocations.Measure{MaxTimeNS: share / warmupShare}, s.now)); err != nil {
		t.Fatal(err)
	}
	if took := timer.around.ns; took < share || took > 1.1*share {
		t.Errorf("choosing the batch took %g ms of %g", took/1e6, share/1e6)
	}
}

// TestSizedAnew lets the time of calls change while samples are taken. The batch size used to stay as it was.
func TestSizedAnew(t *testing.T) {
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 100e6, MaxTimeNS: int64(time.Hour), Precision: 0.01}
	for _, c := range []struct {
		name  string
		calls int64 // before
		ns    func(first, calls int64) float64
		low   int64 // calls of a batch in the end
		high  int64
		want  float64 // ns a call, gross
	}{
		{"as planned", 1000, steps(step{0, 100}), 1000, 1000, 100},
		{"a hundred times slower in the middle", 10_000, steps(step{300_000, 10}, step{0, 1000}), 34, 300, 1000},
		{"a hundred times faster in the middle", 100, steps(step{3000, 1000}, step{0, 10}), 7500, 30_000, 10},
		{"twice as slow, which is near enough", 1000, steps(step{30_000, 100}, step{0, 200}), 1000, 1000, 0},
		{"one slow batch in five", 1000, func(first, calls int64) float64 {
			if first/calls%5 == 2 {
				return 1e6
			}
			return 100 * float64(calls)
		}, 1000, 1000, 100},
	} {
		s, timer := scriptedSession(c.ns, m)
		s.calls, s.batches = c.calls, 1
		// overhead is that of a call in a batch of this many.
		overhead := func(calls int64) float64 { return 1 + 1e-6*float64(calls) }
		s.emptied = &scripted{
			ns: func(_, calls int64) float64 { return float64(calls) * overhead(calls) }, around: timer.around,
		}
		r := invocations.Result{}
		if err := s.sample(&r, newBudget(m, s.now), noise.Levels{}); err != nil {
			t.Fatal(err)
		}
		if s.calls < c.low || s.calls > c.high {
			t.Errorf("%s: %d calls a batch, want %d to %d", c.name, s.calls, c.low, c.high)
		}
		if r.Iterations != int64(len(r.SamplesNS))*s.calls || len(r.SamplesNS) < fewestQuiet || r.PlannedNS != 0 {
			t.Errorf("%s: %d calls in %d samples, planned %g", c.name, r.Iterations, len(r.SamplesNS), r.PlannedNS)
		}
		if net := c.want - overhead(s.calls); c.want > 0 && math.Abs(stats.Median(r.SamplesNS)-net) > 1e-9 {
			t.Errorf("%s: %g ns a call, want %g", c.name, stats.Median(r.SamplesNS), net)
		}
		if resized := s.calls != c.calls; resized != (r.Discarded.Warmup >= recentBatches) {
			t.Errorf("%s: %d batches were thrown away", c.name, r.Discarded.Warmup)
		}
		if resized := s.calls != c.calls; resized && slices.Max(r.SamplesNS) > 1.1*c.want {
			t.Errorf("%s: a batch of the old size is kept: %g ns", c.name, slices.Max(r.SamplesNS))
		}
		if math.Abs(r.OverheadNS-overhead(s.calls)) > 1e-9 {
			t.Errorf("%s: an overhead of %g ns, that of batches of %d calls is %g",
				c.name, r.OverheadNS, s.calls, overhead(s.calls))
		}
	}
}

// addAll adds values one after the other.
func addAll[T any](to *stats.Thinned[T], values []T) {
	for _, v := range values {
		to.Add(v)
	}
}

// TestResizeBatchDrops checks that resizing discards what was measured with the old size, also over the empty function.
func TestResizeBatchDrops(t *testing.T) {
	for _, c := range []struct {
		batches int
		ns      float64 // a call
		calls   int64   // afterwards
	}{
		{recentBatches, 10, 800},
		{recentBatches - 1, 10, 100},
		{recentBatches, 1000, 100},
		{recentBatches + 3, 10_000, 10},
	} {
		ses, _ := scriptedSession(nil, invocations.Measure{})
		ses.calls, ses.batches, ses.warmed = 100, 1, 5000
		s := newSampling(ses, plenty(), noise.Levels{})
		addAll(s.made, slices.Repeat([]batch{{ns: c.ns}}, c.batches))
		addAll(s.empty, []empty{{ns: 1}, {ns: 1}})
		s.quiets, s.quietNS = 1, 1
		s.resizeBatch()
		resized := c.calls != 100
		if s.calls != c.calls || (s.resizes == 1) != resized {
			t.Errorf("%+v: %d calls, sized anew %d times", c, s.calls, s.resizes)
		}
		gone := s.made.Seen == 0 && s.quiets == 0 && s.quietNS == 0 && s.empty.Seen == 0
		counted := s.dropped == int64(c.batches) && s.warmed == 5000+100*int64(c.batches)
		if gone != resized || counted != resized {
			t.Errorf("%+v: %d batches are left, %d of the empty function, %d were dropped, %d calls before the first",
				c, s.made.Seen, s.empty.Seen, s.dropped, s.warmed)
		}
	}
}

// TestNoTimeToSizeAnew ends a launch whose batches are too short. The batch used to be resized when the time was over;
// the launch, and its row, then ended well without a sample.
func TestNoTimeToSizeAnew(t *testing.T) {
	s, _ := scriptedSession(steps(step{0, 10}), invocations.Measure{})
	s.calls, s.batches = 100, 1
	run := newSampling(s, spent(invocations.Measure{MaxTimeNS: int64(time.Second)}), noise.Levels{})
	addAll(run.made, slices.Repeat([]batch{{ns: 10}}, recentBatches))
	run.resizeBatch()
	if run.decide(); run.stop != "max-time" || run.made.Seen == 0 {
		t.Fatalf("stop %q with %d batches", run.stop, run.made.Seen)
	}
	r := invocations.Result{}
	run.finish(&r)
	if s.addVerdicts(&r); len(r.SamplesNS) != recentBatches || !slices.Contains(r.Verdicts, invocations.TooShort) {
		t.Errorf("%d samples of batches of a microsecond: %v", len(r.SamplesNS), r.Verdicts)
	}
}

// TestNeverAsPlanned checks that batches that stay short with any number of calls are resized a bounded number of
// times, and that the result says that they are not as planned.
func TestNeverAsPlanned(t *testing.T) {
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 20e6, MaxTimeNS: int64(time.Hour)}
	s, timer := scriptedSession(func(int64, int64) float64 { return 60_000 }, m)
	s.calls, s.batches = 1, 1
	r := invocations.Result{}
	if err := s.sample(&r, newBudget(m, s.now), noise.Levels{}); err != nil {
		t.Fatal(err)
	}
	sizes := len(slices.Compact(slices.Clone(timer.sizes)))
	if sizes != maxResizes+1 || r.PlannedNS != s.plannedNS() {
		t.Errorf("%d sizes of batches, planned %g ns", sizes, r.PlannedNS)
	}
	if s.addVerdicts(&r); !slices.Contains(r.Verdicts, invocations.TooShort) {
		t.Errorf("verdicts %v", r.Verdicts)
	}
}
