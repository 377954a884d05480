package rounds

import (
	"zonemark/executor/rounds/unfinished"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// FindUnfinished finds out whether calls leave work to threads that native code has started, if the message asks for
// that and threads work during the first calls, or started says that there are some. It makes calls of its own,
// before all others but the first ones: what many calls leave may take minutes.
func (s *Session) FindUnfinished(m *wire.Execute, started func() bool) (err error) {
	w := s.watch.threads
	if !m.LookForLeft || s.Begun() || m.Invocation.Measure.Iterations > 0 || w == nil || w.ours == nil || s.ring() != nil ||
		s.call.Work.MostCalls() > 0 || !isNative(s.call.Work) {
		return nil
	}
	if !started() {
		if helped, err := s.helpedAgain(); err != nil || !helped {
			return err
		}
	}
	s.leaves, err = s.unfinishedLook().Find()
	return err
}

// helpedAgain reports whether others have worked beside the first calls, and work beside further ones as well, in several
// looks: a thread of Go's that ran while the clocks were read, one after the other, seems to be another one in one of a
// hundred.
func (s *Session) helpedAgain() (bool, error) {
	w := s.watch.threads
	helped := w.early.helpedABit()
	for look := 0; look < threadsLooks && helped; look++ {
		before := w.work()
		for first := true; first || float64(s.now().Sub(before.at)) < w.early.wallNS; first = false {
			if _, err := s.timer.Run(1, 1); err != nil {
				return false, err
			}
			s.call.Settle()
			s.warmed++
		}
		helped = w.work().since(before).helpedABit()
	}
	return helped, nil
}

// noteUnfinished says in the result of each round what calls leave, and judges by that.
func (s *Session) noteUnfinished(r *invocations.Result) error {
	if s.leavesNote == "" {
		found := s.leaves
		s.leaves = unfinished.Found{} // calls in a row are made once
		if s.leavesNote = found.Note(); s.leavesNote == "" {
			row, err := s.unfinishedLook().InARow(found, r.Summary.MedianNS+r.OverheadNS)
			if err != nil || row == 0 {
				return err
			}
			s.leavesNote = unfinished.RowNote(row)
		}
	}
	r.Notes = append(r.Notes, s.leavesNote)
	r.AddVerdict(invocations.Unfinished)
	return nil
}

func (s *Session) unfinishedLook() *unfinished.Look {
	around := s.instruments.around
	return &unfinished.Look{
		Run: func(calls int64) error {
			for made := int64(0); made < calls; {
				now := min(calls-made, s.maxCalls())
				if _, err := s.timer.Run(now, 1); err != nil {
					return err
				}
				s.call.Settle()
				made += now
			}
			s.warmed += calls
			return nil
		},
		Others:     func() int64 { return s.watch.threads.work().others },
		Ready:      func() bool { return around.othersReady(s.watch.threads.ours) },
		Now:        s.now,
		Sleep:      around.sleep,
		Contention: around.contention,
	}
}
