package executor

import (
	"fmt"
	"time"

	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// session is a prepared invocation with all that its rounds share: the loop, the batch size, the overhead and the
// samples so far.
type session struct {
	inv         *invocations.Invocation
	call        *Call
	timer       timer
	instruments *instruments
	// emptied has the same shape as timer, over a function that only returns. It is nil if the overhead is not the
	// loop's.
	emptied   timer
	clock     native.Clock
	canary    *native.Canary       // nil if it does not apply
	canaryWhy string               // why it does not apply
	memory    *native.MemoryCanary // nil if the function's data fits into the core's own caches
	counters  counters             // nil if nothing is counted
	counting  counting
	calls     int64         // per batch
	batches   int           // per entry of the timed loop; more than one only if a batch is a single short call
	prelude   int64         // calls before each batch that are not timed
	entryNS   time.Duration // of the last entry of the timer, with the calls that are not timed
	// ownThreads are the threads that the process had before native code was loaded. It is nil if the system does not
	// tell.
	ownThreads map[int]int64
	threads    bool // the function runs threads of its own
	// gaveUp reports that the function gave its CPU up by itself, for example for a device: wall time above the CPU
	// time is then no sign of contention.
	gaveUp    bool
	looked    bool   // an earlier launch has looked for threads
	found     string // by that launch: why the canary does not apply; empty if it applies
	part      int    // of the memory that is exchanged, from 1; see wire.Execute
	moved     bool   // to another part since the last round
	inTurns   bool   // with another executor; see wire.Execute
	asked     wire.Steps
	steps     *platform.Steps // of this round; nil: batches follow each other
	pass      int             // of the counters that this launch counts
	overhead  float64
	cpuReadNS float64           // CPU time that reading the thread's CPU time takes
	chainNS   float64           // speed of the core before the first batch, if there is no canary
	warmed    int64             // calls made before the first timed one
	pooled    *thinned[float64] // net samples so far, for the stopping rule; nil before the first
}

// pool adds samples to those of earlier rounds.
func (s *session) pool(samples []float64) {
	if s.pooled == nil {
		s.pooled = newThinned[float64](mostBatches)
	}
	for _, ns := range samples {
		s.pooled.add(ns)
	}
}

// timer makes timed batches. run returns the times of the batches in nanoseconds; the slice is valid until the next
// run.
type timer interface {
	run(calls int64, batches int) ([]float64, error)
	setPrelude(calls int)
	close()
}

// loopTimer times native code with the assembly loop.
type loopTimer struct {
	loop  *native.Loop
	each  int64   // calls of the loop that make up one call
	perNS float64 // clock ticks
	// failed reports the failure of a call since it was asked last. It is nil if calls cannot fail.
	failed func() error
	ns     []float64
}

func (t *loopTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for _, ticks := range t.loop.Run(int(calls*t.each), batches) {
		t.ns = append(t.ns, float64(ticks)/t.perNS)
	}
	if t.failed != nil {
		if err := t.failed(); err != nil {
			return nil, err
		}
	}
	return t.ns, nil
}

func (t *loopTimer) setPrelude(calls int) { t.loop.SetPrelude(calls) }

func (t *loopTimer) close() { t.loop.Close() }

// invokeTimer times calls that go through Go.
type invokeTimer struct {
	invoke  func() error
	prelude int
	ns      []float64
}

func (t *invokeTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for range batches {
		for range t.prelude {
			if err := t.invoke(); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		for range calls {
			if err := t.invoke(); err != nil {
				return nil, err
			}
		}
		t.ns = append(t.ns, float64(time.Since(start)))
	}
	return t.ns, nil
}

func (t *invokeTimer) setPrelude(calls int) { t.prelude = calls }

func (t *invokeTimer) close() {}

// newSession sets up the timer of a prepared call. The first round finds the overhead and the batch size.
func newSession(inv *invocations.Invocation, call *Call, with *instruments) (*session, error) {
	s := &session{inv: inv, call: call, instruments: with, clock: with.clock, counters: with.counters}
	if !inv.Measure.CheckOnly && !call.otherProcesses() { // else nothing is timed, or not on this core
		s.chooseCanary()
	}
	if call.Invoke != nil || call.otherProcesses() {
		if mode := inv.Measure.Mode; mode == invocations.Flush || mode == invocations.Serialized {
			return nil, &UnsupportedError{fmt.Sprintf("mode %q needs native code that is called directly", mode)}
		}
		s.clock = native.MonotonicClock()
		s.timer = &invokeTimer{invoke: call.Invoke}
		if call.otherProcesses() {
			s.newProcessSession()
		}
		return s, nil
	}
	each := max(1, call.CallsPerInvocation)
	if int64(len(call.Frames))%each != 0 {
		return nil, fmt.Errorf("%d argument frames for invocations of %d calls each", len(call.Frames), each)
	}
	loop, err := native.NewLoop(s.clock, call.Entry, call.Frames)
	if err != nil {
		return nil, err
	}
	loop.SetFlushDenormals(call.FlushDenormals)
	loop.SetStackOffset(inv.Measure.StackOffset)
	switch inv.Measure.Mode {
	case invocations.Serialized:
		loop.SetSerialized(true)
	case invocations.Flush:
		if !native.CanFlush() {
			loop.Close()
			return nil, &UnsupportedError{"mode \"flush\": this CPU cannot evict single cache lines from user code"}
		}
		loop.SetFlush(call.Lines)
	}
	s.timer = &loopTimer{loop: loop, each: each, perNS: s.clock.TicksPerNS, failed: call.Failed}
	return s, nil
}

// chooseCanary makes a canary if the clock allows one; lookForThreads may give it up.
func (s *session) chooseCanary() {
	if s.canary = s.instruments.newCanary(); s.canary == nil {
		s.canaryWhy = fmt.Sprintf("the clock %s is too coarse for probes", s.clock.Name)
	}
}

// openEmpty prepares the loop over a function that only returns, and starts the counters.
func (s *session) openEmpty() error {
	t, ok := s.timer.(*loopTimer)
	s.startCounting(t)
	if !ok {
		return nil
	}
	loop, err := t.loop.Empty()
	if err != nil {
		return err
	}
	s.emptied = &loopTimer{loop: loop, each: t.each, perNS: t.perNS}
	return nil
}

// close ends the session; the counters are the server's.
func (s *session) close() {
	s.timer.close()
	if s.emptied != nil {
		s.emptied.close()
	}
	if s.memory != nil {
		_ = s.memory.Close() // unmaps our own memory
	}
	if s.call.Close != nil {
		s.call.Close()
	}
}
