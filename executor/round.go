package executor

import (
	"errors"
	"maps"
	"strings"
	"syscall"
	"time"

	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

// execute runs one round of an invocation and turns every error of a runtime into a status.
func (s *Server) execute(m *wire.Execute) *invocations.Result {
	inv := &m.Invocation
	s.Supervision.refused() // those of others do not explain this one
	s.refused, s.ledger = nil, nil
	result, err := s.round(m)
	s.strange.end(inv.ID)
	if note := s.left.end(s.threads); note != "" {
		result.Notes = append(result.Notes, note)
	}
	result.ID, result.Number, result.Merged = inv.ID, m.Number, 1
	result.Mode = inv.Measure.Mode
	if err == nil {
		result.AccountedNS, result.ShortShare = s.ledger.ns(time.Now()), s.ledger.shortShare()
		return &result
	}
	result.Error, result.Remedies = err.Error(), remedy.Of(err)
	if len(inv.Command) == 0 && strings.Contains(strings.ToLower(result.Error), "permission denied") {
		result.Remedies = append(result.Remedies, remedy.Remedy{Kind: remedy.Readable})
	}
	result.Error += refusalText(append(s.refused, s.Supervision.refused()...))
	var memory *MemoryError
	var killed *KilledError
	var unsupported *UnsupportedError
	switch {
	case errors.As(err, &killed) && !killed.Memory:
		result.Status, result.Crash = invocations.Crashed, &invocations.Crash{Signal: "SIGKILL"}
	case killed != nil, errors.As(err, &memory), errors.Is(err, syscall.ENOMEM):
		result.Status = invocations.OutOfMemory
	case errors.As(err, &unsupported):
		result.Status = invocations.Skipped
	default:
		result.Status = invocations.Failed
	}
	return &result
}

// round runs one round: it pins the thread, opens the session, and records, emulates, traces, checks or measures.
func (s *Server) round(m *wire.Execute) (invocations.Result, error) {
	inv := &m.Invocation
	started := func(phase string) {
		// A send fails if the descriptor is gone; the reply then fails the same way and ends the executor.
		_ = s.conn.Send(&wire.Started{ID: inv.ID, Phase: phase})
	}
	started("prepare")
	cpu := inv.Measure.CPU
	if m.InTurns && cpu < 0 && s.pinned < 0 {
		if here, known := platform.CurrentCPU(); known {
			cpu = here
		}
	}
	if err := s.pin(cpu); err != nil {
		return invocations.Result{}, &UnsupportedError{err.Error()}
	}
	switch {
	case s.Tool != nil && m.TraceCalls > 0:
		return s.record(m, started)
	case s.Tool != nil:
		return s.emulate(m, started)
	}
	ses, mismatch, err := s.open(m, started)
	switch {
	case err != nil:
		return invocations.Result{}, err
	case mismatch != "":
		return invocations.Result{Status: invocations.Mismatch, Error: mismatch}, nil
	case m.TraceCalls > 0:
		defer s.drop(ses)
		return s.trace(ses, m.TraceCalls, started)
	case inv.Measure.CheckOnly:
		return s.check(ses, started)
	}
	ses.scalarClock = m.ScalarClock
	if err := s.step(ses, m.Steps); err != nil {
		s.drop(ses)
		return invocations.Result{}, err
	}
	if err := ses.restoreIfAsked(m); err != nil {
		s.drop(ses)
		return invocations.Result{}, err
	}
	result, err := s.measure(ses, m, started)
	if err != nil {
		s.drop(ses)
		return invocations.Result{}, err
	}
	if m.InTurns {
		result.CPU = s.pinned + 1
	}
	if m.Last {
		s.drop(ses)
		return result, nil
	}
	if m.Leave {
		if err := s.leave(ses); err != nil {
			s.drop(ses)
			return invocations.Result{}, err
		}
	}
	s.keep(ses)
	return result, nil
}

// step has a session make its batches by turns with another executor in this round, if that is asked for.
func (s *Server) step(ses *session, m wire.Steps) (err error) {
	if ses.asked = m; m.Turn == 0 {
		ses.steps = nil
		return nil
	}
	if s.Exchange == nil {
		return errors.New("the driver has lent no memory for steps")
	}
	if s.steps == nil {
		if s.steps, err = s.Exchange.NewSteps(); err != nil {
			return err
		}
	}
	ses.steps = s.steps
	return nil
}

// open returns the session of an invocation: the one that waits for this round, or a new one whose results have been
// compared. With an error or a mismatch, there is no session.
func (s *Server) open(m *wire.Execute, started func(phase string)) (ses *session, mismatch string, err error) {
	if ses = s.take(m.Invocation.ID); ses != nil {
		ses.inv = &m.Invocation
		if err := s.move(ses, m.Part); err != nil {
			s.drop(ses)
			return nil, "", err
		}
		s.left.begin(false)
		return ses, "", nil
	}
	if ses, err = s.prepare(&m.Invocation, m.Part); err != nil {
		return nil, "", err
	}
	if m.TraceCalls == 0 { // else once the Tracy client is ready
		s.left.begin(ses.call.Inert)
		if work, direct := ses.call.Work.(*Native); direct && !work.Waits {
			s.strange.begin()
		}
	}
	ses.expect(m)
	if m.TraceCalls > 0 || m.Trusted {
		// Another executor compares the results: the measuring one, or that of an earlier launch.
		return ses, "", nil
	}
	if mismatch, err = verify(ses.call, started); err != nil || mismatch != "" {
		s.drop(ses)
		return nil, mismatch, err
	}
	return ses, "", nil
}

// check ends an invocation that is only checked for correctness.
func (s *Server) check(ses *session, started func(phase string)) (invocations.Result, error) {
	err := s.callOnce(ses, started)
	s.drop(ses)
	result := invocations.Result{
		Status:     invocations.OK,
		Stop:       invocations.StopCheck,
		Notes:      ses.call.Notes,
		Properties: ses.call.Properties,
		Parameters: ses.call.Parameters,
	}
	s.tell(&result, 1)
	result.Verdicts = nil // nothing is timed
	ses.tellReturned(&result)
	ses.call.count(&result)
	return result, err
}

// measure times one round and, after the last one, profiles the invocation.
func (s *Server) measure(ses *session, m *wire.Execute, started func(phase string)) (invocations.Result, error) {
	*ses.ledger = ledger{begun: time.Now()}
	s.ledger = ses.ledger
	started("measure")
	if ses.call.Reset != nil {
		ses.call.Reset()
	}
	first, again, err := s.firstCalls(ses)
	if err != nil || again {
		return first, err
	}
	best := levels{m.QuietPorts, m.QuietMemory}
	result, err := ses.measureRound(best)
	if err == nil {
		err = ses.measureRestored(m, best, &result, s.room())
	}
	if err != nil {
		return invocations.Result{}, err
	}
	ses.noteRestored(m, &result)
	result.Notes = append(result.Notes, first.Notes...)
	s.tell(&result, 0)
	if s.Supervision.slowed() {
		return s.unsupervised(result), nil
	}
	result.Status = invocations.OK
	result.Notes = append(result.Notes, ses.call.Notes...)
	result.Properties = joined(ses.call.Properties, result.Properties)
	result.Parameters = ses.call.Parameters
	ses.call.count(&result)
	if !m.Last {
		return result, nil
	}
	if err := ses.check(); err != nil {
		return invocations.Result{}, err
	}
	ses.tellReturned(&result)
	if mismatch, err := ses.verifyAgain(started); err != nil || mismatch != "" {
		return invocations.Result{Status: invocations.Mismatch, Error: mismatch}, err
	}
	return result, ses.profile(&result, started)
}

// firstCalls makes the first calls of a session, and tells what was refused in them. again says that later calls would be
// slowed down by the supervision: the result then asks for another executor.
func (s *Server) firstCalls(ses *session) (told invocations.Result, again bool, err error) {
	if ses.calls > 0 {
		return told, false, nil
	}
	s.Supervision.refused() // in loading and comparing
	calls, err := ses.checkFirst(func() { s.Supervision.slowed() })
	if err != nil {
		return told, false, err
	}
	s.tell(&told, calls)
	if again = s.Supervision.slowed(); again { // in the last one
		return s.unsupervised(told), true, nil
	}
	return told, false, nil
}

// unsupervised returns the result that asks for an executor without supervision, with what is told of this one.
func (s *Server) unsupervised(told invocations.Result) invocations.Result {
	return invocations.Result{
		Status: invocations.OK, Stop: invocations.StopSupervised, Notes: told.Notes, Verdicts: told.Verdicts,
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

// count fills in what is known of the calls besides their times.
func (c *Call) count(r *invocations.Result) {
	r.FLOP, r.Bytes = c.FLOP, c.Bytes
	if c.Simulated != nil {
		c.Simulated(r)
	}
}

func verify(call *Call, started func(phase string)) (mismatch string, err error) {
	if call.Verify == nil {
		return "", nil
	}
	return call.Verify(started)
}

// callOnce makes the one call of a check without verification, which shows that the function runs and returns.
func (s *Server) callOnce(ses *session, started func(phase string)) error {
	if ses.call.Verify != nil {
		return nil // verifying has called it
	}
	started("verify")
	if isNative(ses.call.Work) {
		return ses.check()
	}
	_, err := ses.warmRun(1, 1)
	return err
}
