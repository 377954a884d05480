package rounds

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
