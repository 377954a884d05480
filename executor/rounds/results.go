package rounds

import (
	"zonemark/executor"
	"zonemark/executor/rounds/statuses"
	"zonemark/executor/timers"
	"zonemark/invocations"
)

// TellReturned tells what the last call has returned if it may be a status, may say failure, and was compared with
// nothing: functions that fail often say so only by what they return, and fail fast.
func (s *Session) TellReturned(r *invocations.Result) {
	work, native := s.call.Work.(*executor.Native)
	loop, looped := s.timer.(*timers.Loop)
	if !native || !looped || s.call.VerifyAgain != nil {
		return
	}
	integer, float := loop.Returned()
	value, note := statuses.Of(work.Returns, work.ReturnsPointer, statuses.Returned{Integer: integer, Float: float})
	if value != "" {
		r.Properties = joined(r.Properties, map[string]string{statuses.Property: value})
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
}

// verifyAgain compares the results of one more call, after the last batch, if results are compared at all. A function
// that works only in its first calls, because it remembers them or because it leaves their results where they are, is
// found this way: what was timed is something else than what was compared before.
func (s *Session) verifyAgain(started func(phase string)) (mismatch string, err error) {
	if s.call.VerifyAgain == nil || s.repeats() {
		return "", nil
	}
	if mismatch, err = s.call.VerifyAgain(started); mismatch != "" {
		mismatch = "in a call after the timed ones, with the first contents restored: " + mismatch
	}
	return mismatch, err
}
