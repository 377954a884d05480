package executor

import (
	"errors"
	"syscall"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// execute runs one round of an invocation and turns every error of a runtime into a status.
func (s *Server) execute(m *wire.Execute) *invocations.Result {
	inv := &m.Invocation
	result, err := s.round(m)
	result.ID, result.Round, result.Rounds = inv.ID, m.Round, 1
	result.Mode = inv.Measure.Mode
	if err == nil {
		return &result
	}
	result.Error = err.Error()
	var memory *MemoryError
	var unsupported *UnsupportedError
	switch {
	case errors.As(err, &memory), errors.Is(err, syscall.ENOMEM):
		result.Status = invocations.OutOfMemory
	case errors.As(err, &unsupported):
		result.Status = invocations.Skipped
	default:
		result.Status = invocations.Failed
	}
	return &result
}

func (s *Server) round(m *wire.Execute) (invocations.Result, error) {
	inv := &m.Invocation
	started := func(phase string) {
		// A send that fails means that the descriptor is gone; the reply will fail the same way and end the executor.
		_ = s.conn.Send(&wire.Started{ID: inv.ID, Phase: phase})
	}
	started("prepare")
	if err := s.pin(inv.Measure.CPU); err != nil {
		return invocations.Result{}, &UnsupportedError{err.Error()}
	}
	if m.TraceCalls > 0 && s.Tool != nil {
		return s.record(m, started)
	}
	ses := s.take(inv.ID)
	if ses == nil {
		var err error
		if ses, err = s.prepare(inv); err != nil {
			return invocations.Result{}, err
		}
		ses.pass, ses.looked, ses.found = m.Round, m.Trusted, m.NoCanary
		if m.TraceCalls == 0 && !m.Trusted { // results are compared where the time is measured; here, only what is bracketed shall be called
			if mismatch, err := verify(ses.call, started); err != nil || mismatch != "" {
				s.drop(ses)
				return invocations.Result{Status: invocations.Mismatch, Error: mismatch}, err
			}
		}
	}
	if m.TraceCalls > 0 {
		result, err := s.trace(ses, m.TraceCalls, started)
		s.drop(ses)
		return result, err
	}
	if inv.Measure.CheckOnly {
		err := s.callOnce(ses, started)
		s.drop(ses)
		result := invocations.Result{Status: invocations.OK, Stop: invocations.StopCheck, Notes: ses.call.Notes, Properties: ses.call.Properties}
		ses.call.count(&result)
		return result, err
	}
	started("measure")
	if ses.call.Reset != nil {
		ses.call.Reset()
	}
	result, err := ses.measureRound(levels{m.QuietPorts, m.QuietMemory})
	if err != nil {
		s.drop(ses)
		return invocations.Result{}, err
	}
	result.Status = invocations.OK
	result.Notes = append(result.Notes, ses.call.Notes...)
	result.Properties = ses.call.Properties
	ses.call.count(&result)
	if m.Last {
		if err := ses.profile(&result, started); err != nil {
			s.drop(ses)
			return invocations.Result{}, err
		}
		s.drop(ses)
	} else {
		s.keep(ses)
	}
	return result, nil
}

// count fills in what is known of the calls beside their times.
func (c *Call) count(r *invocations.Result) {
	r.FLOP, r.Bytes = c.FLOP, c.Bytes
	if c.SimulatedCycles != nil {
		r.SimulatedCycles = c.SimulatedCycles()
	}
}

func verify(call *Call, started func(phase string)) (mismatch string, err error) {
	if call.Verify == nil {
		return "", nil
	}
	return call.Verify(started)
}

// callOnce makes the one call of a check without verification: it shows that the function runs and returns.
func (s *Server) callOnce(ses *session, started func(phase string)) error {
	if ses.call.Verify != nil {
		return nil // verifying has called it
	}
	started("verify")
	_, err := ses.warmRun(1, 1)
	return err
}
