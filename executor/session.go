package executor

import (
	"time"

	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// session is a prepared invocation with all that its rounds share: the timer, what observes it, the batch size, the
// overhead and the samples so far.
type session struct {
	inv         *invocations.Invocation
	call        *Call
	timer       timer
	instruments *instruments
	watch       observers
	// emptied has the same shape as timer, over a function that only returns. It is nil if the overhead is not the
	// loop's.
	emptied timer
	clock   native.Clock
	calls   int64 // per batch
	batches int   // per entry of the timed loop; more than one only if a batch is a single short call
	prelude int64 // calls before each batch that are not timed
	trusted bool  // an earlier launch has compared the results, and made the first calls
	part    int   // of the memory that is exchanged, from 1; see wire.Execute
	moved   bool  // to another part since the last round
	inTurns bool  // with another executor; see wire.Execute
	// scalarClock has the clock of scalar code looked at after the batches of this round, however short it is.
	scalarClock bool
	asked       wire.Steps
	steps       *platform.Steps // of this round; nil: batches follow each other
	overhead    float64
	warmed      int64             // calls made before the first timed one
	entryNS     float64           // time of the latest entry of the timer that does not count
	pooled      *thinned[float64] // net samples so far, for the stopping rule; nil before the first
}

// now returns the time in the surroundings of the session.
func (s *session) now() time.Time { return s.instruments.around.now() }

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
	failed  func() error
	ring    *arguments.Ring // of the frames, restored before each batch; nil: they are not restored
	prelude int
	ns      []float64
}

func (t *loopTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	if t.ring == nil {
		t.take(int(calls*t.each), batches)
	} else {
		for range batches {
			if t.ring.Ready(t.prelude + int(calls)) {
				t.loop.Rewind()
			}
			t.take(int(calls), 1)
		}
	}
	if t.failed != nil {
		if err := t.failed(); err != nil {
			return nil, err
		}
	}
	return t.ns, nil
}

// take enters the loop and adds the times of its batches.
func (t *loopTimer) take(calls, batches int) {
	for _, ticks := range t.loop.Run(calls, batches) {
		t.ns = append(t.ns, float64(ticks)/t.perNS)
	}
}

func (t *loopTimer) setPrelude(calls int) {
	t.prelude = calls
	t.loop.SetPrelude(calls)
}

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

// newSession sets up the timer of a prepared call and what observes it. The first round finds the overhead and the batch
// size.
func newSession(inv *invocations.Invocation, call *Call, with *instruments) (*session, error) {
	s := &session{inv: inv, call: call, instruments: with}
	var err error
	if s.timer, s.clock, err = call.Work.newTimer(&inv.Measure, with.clock); err != nil {
		return nil, err
	}
	if !inv.Measure.CheckOnly { // else nothing is timed
		s.watch = newObservers(call.Work, with)
	}
	return s, nil
}

// expect tells a new session what an earlier launch has found.
func (s *session) expect(m *wire.Execute) {
	s.trusted, s.inTurns = m.Trusted, m.InTurns
	if s.watch.counts != nil {
		s.watch.counts.pass = m.Number
	}
	if s.watch.threads != nil {
		s.watch.threads.known, s.watch.threads.found = m.Trusted, m.NoCanary
	}
}

// openEmpty prepares the loop over a function that only returns, and starts the counters.
func (s *session) openEmpty() error {
	if s.watch.counts != nil {
		s.watch.counts.start(s.timer, s.watch.canary)
		s.tellPrelude()
	}
	if s.ring() != nil && s.watch.counts.outside() { // they would count what restores the arguments, too
		s.watch.counts = nil
		s.tellPrelude()
	}
	t, ok := s.timer.(*loopTimer)
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

// countAgain has the events of this session count in a further round. If that fails, it counts nothing more.
func (s *session) countAgain() {
	if s.watch.counts == nil || s.watch.counts.again() == nil {
		return
	}
	for _, t := range []timer{s.timer, s.emptied} {
		if loop, ok := t.(*loopTimer); ok {
			loop.loop.SetCounters(nil)
		}
	}
	if s.watch.canary != nil {
		s.watch.canary.core = s.instruments.newCanary() // one that counts no cycles
	}
	s.watch.counts = nil
	s.tellPrelude()
}

// close ends the session; the counters are the server's.
func (s *session) close() {
	s.release()
	s.call.close()
}

// release frees what the session has beside its call.
func (s *session) release() {
	s.timer.close()
	if s.emptied != nil {
		s.emptied.close()
	}
	s.watch.canary.close()
}
