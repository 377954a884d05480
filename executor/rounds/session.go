package rounds

import (
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/unfinished"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/stats"
	"zonemark/invocations/wire"
)

// Session is a prepared invocation with all that its rounds share: the timer, what observes it, the batch size, the
// overhead and the samples so far.
type Session struct {
	inv         *invocations.Invocation
	call        *executor.Call
	timer       timers.Timer
	instruments *Instruments
	watch       observers
	// emptied has the same shape as timer, over a function that only returns. It is nil if the overhead is not the
	// loop's.
	emptied timers.Timer
	clock   native.Clock
	calls   int64 // per batch
	batches int   // per entry of the timed loop; more than one only if a batch is a single short call
	prelude int64 // calls before each batch that are not timed
	trusted bool  // an earlier launch has compared the results, and made the first calls
	part    int   // of the memory that is exchanged, from 1; see wire.Execute
	moved   bool  // to another part since the last round
	inTurns bool  // with another executor; see wire.Execute
	short   bool  // see wire.Execute
	brief   bool  // the same
	// scalarClock has the clock of scalar code looked at after the batches of this round, however short it is.
	scalarClock bool
	asked       wire.Steps
	steps       *platform.Steps // of this round; nil: batches follow each other
	overhead    float64
	leaves      unfinished.Found        // what the first launch's calls leave to threads
	leavesNote  string                  // what is said of that; "" before the first round, or if it is nothing
	ledger      *timers.Ledger          // of the present round
	warmed      int64                   // calls made before the first timed one
	checkedNS   float64                 // of the latest call that was looked at alone
	earlyNS     float64                 // of a call in the first batches of warming up; 0: not known
	entryNS     float64                 // time of the latest entry of the timer that does not count
	pooled      *stats.Thinned[float64] // net samples so far, for the stopping rule; nil before the first
}

// now returns the time in the surroundings of the session.
func (s *Session) now() time.Time { return s.instruments.around.now() }

// pool adds samples to those of earlier rounds.
func (s *Session) pool(samples []float64) {
	if s.pooled == nil {
		s.pooled = stats.NewThinned[float64](mostBatches)
	}
	for _, ns := range samples {
		s.pooled.Add(ns)
	}
}

// newSession sets up the timer of a prepared call and what observes it. The first round finds the overhead and the batch
// size.
func newSession(inv *invocations.Invocation, call *executor.Call, with *Instruments) (*Session, error) {
	s := &Session{inv: inv, call: call, instruments: with}
	var err error
	if s.timer, s.clock, err = timers.New(call.Work, &inv.Measure, with.clock); err != nil {
		return nil, err
	}
	s.keep(timers.NewLedger())
	if !inv.Measure.CheckOnly { // else nothing is timed
		s.watch = newObservers(call.Work, with)
	}
	return s, nil
}

// keep has the session keep a ledger.
func (s *Session) keep(l *timers.Ledger) {
	s.ledger = l
	if t, ok := s.timer.(*timers.Loop); ok && s.inv.Measure.Mode != invocations.Flush {
		t.Keep(l)
	}
}

// expect tells a new session what an earlier launch has found.
func (s *Session) expect(m *wire.Execute) {
	s.trusted, s.inTurns, s.short, s.brief = m.Trusted, m.InTurns, m.Short, m.Brief
	if s.watch.counts != nil {
		s.watch.counts.pass = m.Number
	}
	if s.watch.threads != nil {
		s.watch.threads.known, s.watch.threads.found = m.Trusted && !m.LookForThreads, m.NoCanary
	}
}

// openEmpty prepares the loop over a function that only returns, and starts the counters.
func (s *Session) openEmpty() error {
	if s.watch.counts != nil {
		s.watch.counts.start(s.timer, s.watch.canary)
		s.tellPrelude()
	}
	if s.ring() != nil && s.watch.counts.outside() { // they would count what restores the arguments, too
		s.watch.counts = nil
		s.tellPrelude()
	}
	t, ok := s.timer.(*timers.Loop)
	if !ok {
		return nil
	}
	empty, err := t.OverEmpty()
	if err == nil {
		s.emptied = empty
	}
	return err
}

// countAgain has the events of this session count in a further round. If that fails, it counts nothing more.
func (s *Session) countAgain() {
	if s.watch.counts == nil || s.watch.counts.again() == nil {
		return
	}
	for _, t := range []timers.Timer{s.timer, s.emptied} {
		if loop, ok := t.(*timers.Loop); ok {
			loop.SetCounters(nil)
		}
	}
	if s.watch.canary != nil {
		s.watch.canary.core = s.instruments.newCanary() // one that counts no cycles
	}
	s.watch.counts = nil
	s.tellPrelude()
}

// Close ends the session; the counters are the caller's.
func (s *Session) Close() {
	s.release()
	s.call.Release()
}

// release frees what the session has beside its call.
func (s *Session) release() {
	s.timer.Close()
	if s.emptied != nil {
		s.emptied.Close()
	}
	s.watch.canary.close()
}
