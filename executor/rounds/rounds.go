// Package rounds measures rounds of a prepared call: batches, what observes them, how many are enough, and the verdicts that
// one round justifies. It knows no messages but the one that asks for a round, and nothing of programs and sessions beside
// its own.
package rounds

import (
	"maps"
	"time"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// New returns the session of a prepared call. threads are those of the process before native code was loaded; nil if the
// system does not tell.
func New(m *wire.Execute, call *executor.Call, with *Instruments, threads map[int]int64) (*Session, error) {
	s, err := newSession(&m.Invocation, call, with)
	if err != nil {
		return nil, err
	}
	if s.part = m.Part; s.watch.threads != nil {
		s.watch.threads.ours = platform.NewThreadClocks(threads)
	}
	s.expect(m)
	return s, nil
}

// Invocation returns what is measured.
func (s *Session) Invocation() *invocations.Invocation { return s.inv }

// Call returns the prepared call.
func (s *Session) Call() *executor.Call { return s.call }

// Continue has the session go on with a further round, whose arguments are where the message says.
func (s *Session) Continue(m *wire.Execute, exchange *platform.Exchange) error {
	s.inv = &m.Invocation
	if s.call.Move == nil || m.Part == 0 || m.Part == s.part {
		return nil
	}
	s.part, s.moved = m.Part, true
	return s.call.Move(platform.Shared{Exchange: exchange, Part: m.Part - 1})
}

// Leave has the arguments leave their part of the memory that is exchanged, if they are in such memory.
func (s *Session) Leave(exchange *platform.Exchange) error {
	if s.call.Move == nil || s.part == 0 {
		return nil
	}
	s.part = 0
	return s.call.Move(platform.Shared{Exchange: exchange, Part: platform.Nowhere})
}

// Begin begins a round as the message asks: in steps with another executor if steps is not nil, and on fresh arguments.
func (s *Session) Begin(m *wire.Execute, steps *platform.Steps) error {
	s.scalarClock, s.asked, s.steps = m.ScalarClock, m.Steps, steps
	if err := s.freshenIfAsked(m); err != nil {
		return err
	}
	s.ledger.Begin(time.Now())
	s.Reset()
	return nil
}

// Measure times a round. quietPorts and quietMemory are the canary's best levels on this machine, and room is how much
// memory may still be taken, in bytes.
func (s *Session) Measure(m *wire.Execute, room int64) (invocations.Result, error) {
	best := noise.Levels{Ports: m.QuietPorts, Memory: m.QuietMemory}
	r, err := s.measureRound(best)
	if err == nil {
		err = s.measureFresh(m, best, &r, room)
	}
	if err == nil {
		s.noteFresh(m, &r)
		err = s.noteUnfinished(&r)
	}
	return r, err
}

// Describe adds to a result what is known of the calls beside their times.
func (s *Session) Describe(r *invocations.Result) {
	r.Notes = append(r.Notes, s.call.Notes...)
	r.Properties, r.Parameters = joined(s.call.Properties, r.Properties), s.call.Parameters
	s.countCalls(r)
	if t, ok := s.timer.(*timers.Loop); ok {
		r.ReadsClock = t.ReadsClock()
	}
}

// Finish ends the last round: it checks once more that calls keep what they must, compares the results and makes the
// profile that was asked for. A brief look does not check again.
func (s *Session) Finish(r *invocations.Result, started func(phase string)) (mismatch string, err error) {
	if !s.repeats() && !s.brief {
		if err := s.check(); err != nil {
			return "", err
		}
	}
	s.TellReturned(r)
	if mismatch, err := s.verifyAgain(started); err != nil || mismatch != "" {
		return mismatch, err
	}
	return "", s.profile(r, started)
}

// Begun reports whether the session has made calls in a round before.
func (s *Session) Begun() bool { return s.calls > 0 }

// Check makes the one call of a check without verification, which shows that the function runs and returns. Where results
// are compared, that has called it.
func (s *Session) Check(started func(phase string)) error {
	if s.call.Verify != nil {
		return nil
	}
	started("verify")
	if isNative(s.call.Work) {
		return s.check()
	}
	_, err := s.warmRun(1, 1)
	return err
}

// Accounted returns how much of the time since Begin is accounted for, in nanoseconds, and the share of entries into the
// timed loop of which much is missing.
func (s *Session) Accounted(now time.Time) (ns, shortShare float64) {
	return s.ledger.NS(now), s.ledger.ShortShare()
}

// countCalls fills in what the runtime knows of the calls.
func (s *Session) countCalls(r *invocations.Result) {
	r.FLOP, r.Bytes = s.call.FLOP, s.call.Bytes
	if s.call.Simulated != nil {
		s.call.Simulated(r)
	}
}

// joined returns the properties of a call with those that were found by measuring it.
func joined(known, measured map[string]string) map[string]string {
	if len(measured) == 0 {
		return known
	}
	maps.Copy(measured, known)
	return measured
}

// RunOnce makes a call that is not timed, of which the caller settles what it has left.
func (s *Session) RunOnce() error {
	_, err := s.timer.Run(1, 1)
	return err
}

// Reset restores the contents that calls have changed, if that is needed.
func (s *Session) Reset() {
	if s.call.Reset != nil {
		s.call.Reset()
	}
}
