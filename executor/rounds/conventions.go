package rounds

import (
	"time"

	"zonemark/executor/timers"
)

const (
	// firstChecked calls are looked at before all others, since some functions do other work in their first calls than in
	// later ones; fewer if one takes longer than longChecked, or longBrief in a brief look, unless another thread took its
	// processor meanwhile, or if all take longer than allChecked.
	firstChecked = 8
	longChecked  = time.Millisecond
	longBrief    = 300 * time.Microsecond
	allChecked   = 30 * time.Millisecond
)

// FirstCalls makes the first calls of a session that has not begun, looks at each of them alone, and returns how many it
// has made, and an error if one of them does not keep what the calling convention makes it keep. The timed loop,
// which lives in those registers, would go astray with them: to wrong times at best. before is called before each of the
// calls. Short launches after the first make one call: that one has looked at the others.
func (s *Session) FirstCalls(before func()) (calls int64, err error) {
	if !isNative(s.call.Work) {
		return 0, nil
	}
	if w := s.watch.threads; w != nil && w.ours != nil {
		before := w.work()
		defer func() { w.early = w.work().since(before) }()
	}
	most, long := int64(firstChecked), longChecked
	if s.repeats() {
		most = 1
	}
	if s.brief {
		long = longBrief
	}
	var all time.Duration
	for calls < most && all <= allChecked {
		before()
		preempted, start := s.instruments.around.usage().Involuntary, s.now()
		if err := s.check(); err != nil {
			return calls, err
		}
		calls++
		took := s.now().Sub(start)
		s.checkedNS = float64(took)
		if all += took; took > long && s.instruments.around.usage().Involuntary == preempted {
			break
		}
	}
	return calls, nil
}

// repeats reports whether this is a short launch after the first: that one has looked at the calls, and launches of full
// length, which whoever is left has, look again.
func (s *Session) repeats() bool { return s.short && s.trusted }

// check makes one call and returns an error if it does not keep what the calling convention makes it keep. It makes no
// call that the loop in assembly does not make.
func (s *Session) check() error {
	t, ok := s.timer.(*timers.Loop)
	if !ok {
		return nil
	}
	s.warmed++
	err := t.RunOnce()
	s.call.Settle()
	if err == nil {
		err = t.Failure()
	}
	return err
}
