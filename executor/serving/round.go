package serving

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/rounds"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

// execute runs one round of an invocation and turns every error of a runtime into a status.
func (s *Server) execute(m *wire.Execute) *invocations.Result {
	inv := &m.Invocation
	s.Supervision.refused() // those of others do not explain this one
	s.refused, s.measured = nil, nil
	if len(inv.Command) == 0 && s.Tool == nil { // what starts processes hands its mask on to them
		defer platform.HoldPreemption()()
	}
	result, err := s.round(m)
	s.strange.end(inv.ID)
	if note := s.left.end(s.threads); note != "" {
		result.Notes = append(result.Notes, note)
	}
	result.ID, result.Number, result.Merged = inv.ID, m.Number, 1
	result.Mode = inv.Measure.Mode
	if err == nil {
		if s.measured != nil {
			result.AccountedNS, result.ShortShare = s.measured.Accounted(time.Now())
		}
		return &result
	}
	result.Error, result.Remedies = err.Error(), remedy.Of(err)
	if len(inv.Command) == 0 && strings.Contains(strings.ToLower(result.Error), "permission denied") {
		result.Remedies = append(result.Remedies, remedy.Remedy{Kind: remedy.Readable})
	}
	result.Error += refusalText(explaining(append(s.refused, s.Supervision.refused()...), result.Error))
	var memory *executor.MemoryError
	var killed *executor.KilledError
	var unsupported *executor.UnsupportedError
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
		return invocations.Result{}, &executor.UnsupportedError{Reason: err.Error()}
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
	if err := s.begin(ses, m); err != nil {
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
		if err := ses.Leave(s.Exchange); err != nil {
			s.drop(ses)
			return invocations.Result{}, err
		}
	}
	s.keep(ses)
	return result, nil
}

// begin begins a round of a session, which makes its batches by turns with another executor if that is asked for.
func (s *Server) begin(ses *rounds.Session, m *wire.Execute) (err error) {
	if m.Steps.Turn == 0 {
		return ses.Begin(m, nil)
	}
	if s.Exchange == nil {
		return errors.New("the driver has lent no memory for steps")
	}
	if s.steps == nil {
		if s.steps, err = s.Exchange.NewSteps(); err != nil {
			return err
		}
	}
	return ses.Begin(m, s.steps)
}

// open returns the session of an invocation: the one that waits for this round, or a new one whose results have been
// compared. With an error or a mismatch, there is no session.
func (s *Server) open(m *wire.Execute, started func(phase string)) (ses *rounds.Session, mismatch string, err error) {
	if ses = s.take(m.Invocation.ID); ses != nil {
		if err := ses.Continue(m, s.Exchange); err != nil {
			s.drop(ses)
			return nil, "", err
		}
		s.left.begin(false)
		return ses, "", nil
	}
	if ses, err = s.prepare(m); err != nil {
		return nil, "", err
	}
	if m.TraceCalls == 0 { // else once the Tracy client is ready
		s.left.begin(ses.Call().Inert)
		if work, direct := ses.Call().Work.(*executor.Native); direct && !work.Waits {
			s.strange.begin()
		}
	}
	if m.TraceCalls > 0 || m.Trusted {
		// Another executor compares the results: the measuring one, or that of an earlier launch.
		return ses, "", nil
	}
	if verify := ses.Call().Verify; verify != nil {
		if mismatch, err = verify(started); err != nil || mismatch != "" {
			s.drop(ses)
			return nil, mismatch, err
		}
	}
	return ses, "", nil
}

// check ends an invocation that is only checked for correctness.
func (s *Server) check(ses *rounds.Session, started func(phase string)) (invocations.Result, error) {
	result := invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopCheck}}
	err := ses.Check(started)
	s.drop(ses)
	ses.Describe(&result)
	s.tell(&result, 1)
	result.Verdicts = nil // nothing is timed
	ses.TellReturned(&result)
	return result, err
}

// measure times one round and, after the last one, profiles the invocation.
func (s *Server) measure(ses *rounds.Session, m *wire.Execute, started func(phase string)) (invocations.Result, error) {
	s.measured = ses
	started("measure")
	first, again, err := s.firstCalls(ses)
	if err != nil || again {
		return first, err
	}
	if err := ses.FindUnfinished(m, s.strange.started); err != nil {
		return invocations.Result{}, err
	}
	result, err := ses.Measure(m, s.room())
	if err != nil {
		return invocations.Result{}, err
	}
	result.Notes, result.FirstNS = append(result.Notes, first.Notes...), first.FirstNS
	s.tell(&result, 0)
	if s.Supervision.slowed() {
		return s.unsupervised(result), nil
	}
	result.Status = invocations.OK
	ses.Describe(&result)
	if !m.Trusted {
		result.Notes = append(result.Notes, touched(ses.Call())...)
	}
	if !m.Last {
		return result, nil
	}
	if mismatch, err := ses.Finish(&result, started); err != nil || mismatch != "" {
		return invocations.Result{Status: invocations.Mismatch, Error: mismatch}, err
	}
	return result, nil
}

// touched says what calls have written that they should leave as it is.
func touched(call *executor.Call) (notes []string) {
	if call.Touched == nil {
		return nil
	}
	t := call.Touched()
	for _, label := range t.Inputs {
		notes = append(notes, fmt.Sprintf("calls change %s, which is declared as an input only (const): later calls find "+
			"what earlier ones have left, and that is not restored; declare it without const", label))
	}
	for _, label := range t.Behind {
		notes = append(notes, fmt.Sprintf("calls write behind the end of %s: its shape is too small, or they are wrong", label))
	}
	return notes
}

// unsupervised returns the result that asks for an executor without supervision, with what is told of this one.
func (s *Server) unsupervised(told invocations.Result) invocations.Result {
	return invocations.Result{
		Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopSupervised}, Notes: told.Notes,
		Verdicts: told.Verdicts,
	}
}
