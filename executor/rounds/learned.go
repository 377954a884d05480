package rounds

import (
	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/learned"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// noteLearned says in the result of the first launch if calls would take longer on random contents in another order each
// time.
func (s *Session) noteLearned(m *wire.Execute, r *invocations.Result) error {
	work, native := s.call.Work.(*executor.Native)
	if !native || work.Draws == nil || m.Trusted || m.Brief || m.InTurns || s.short || len(r.SamplesNS) == 0 ||
		r.Summary.MedianNS > learned.LongestNS || r.Mode == invocations.Cold || r.Mode == invocations.Flush {
		return nil
	}
	defer platform.QuietCollector()()
	draws, err := work.Draws(learned.Sets)
	if draws == nil || err != nil {
		return err
	}
	defer draws.Free()
	t, err := s.timerOn(draws.Frames, nil)
	if err != nil {
		return err
	}
	defer t.Close()
	pairs, err := learned.Look(draws, func() (float64, error) {
		ns, err := t.Run(int64(len(draws.Frames)), 1)
		if err != nil {
			return 0, err
		}
		return ns[0], nil
	}, s.now)
	if note := learned.Note(pairs); note != "" && err == nil {
		r.Notes = append(r.Notes, note)
	}
	return err
}
