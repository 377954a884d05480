package executor

import "time"

const (
	// firstChecked calls are looked at before all others, unless one takes longer than longChecked: some functions
	// do other work in their first calls than in later ones.
	firstChecked = 8
	longChecked  = time.Millisecond
)

// checkFirst makes the first calls and returns how many it has made, and an error if one of them does not keep what the
// calling convention makes it keep. The timed loop, which lives in those registers, would go astray with them: to wrong
// times at best. before is called before each of the calls.
func (s *session) checkFirst(before func()) (calls int64, err error) {
	if !isNative(s.call.Work) {
		return 0, nil
	}
	for calls < firstChecked {
		before()
		start := s.now()
		if err := s.check(); err != nil {
			return calls, err
		}
		if calls++; s.now().Sub(start) > longChecked {
			break
		}
	}
	return calls, nil
}

// check makes one call and returns an error if it does not keep what the calling convention makes it keep. It makes no
// call that the loop in assembly does not make.
func (s *session) check() error {
	t, ok := s.timer.(*loopTimer)
	if !ok {
		return nil
	}
	s.warmed++
	err := t.loop.RunChecked(int(t.each))
	s.call.settle()
	if err == nil && t.failed != nil {
		err = t.failed()
	}
	return err
}
