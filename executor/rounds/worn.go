package rounds

import (
	"errors"
	"fmt"
	"time"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds/noise"
	"zonemark/executor/rounds/wear"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	wornBatchNS = 20_000                 // planned length of a batch
	longWear    = 100 * time.Millisecond // of comparing, after which no other state is looked at
)

// A look is at whether calls take another time on fresh arguments: it compares batches on two contents of a ring. The
// functions that look return a note if they differ by more than their scatter, else "".
type look struct {
	ring   *arguments.Ring
	timer  timers.Timer
	calls  int64   // in a batch
	callNS float64 // of a call that was measured before
	pairs  int     // at most
}

// measureFresh replaces the result of the first launch by that of calls on fresh arguments, if those take another time:
// on restored ones, if what the calls have left of the arguments changes the time of further calls, and on random contents
// in another order each time, if they take longer than those that repeat. To find out, it takes room bytes at most.
func (s *Session) measureFresh(m *wire.Execute, best noise.Levels, r *invocations.Result, room int64) (err error) {
	changed := s.changed()
	if m.Trusted && !m.Thorough || m.InTurns || changed == nil || len(r.SamplesNS) == 0 {
		return nil
	}
	var found []string // by one look after the other, whose results replace each other
	remeasure := func(changed *arguments.Changed, differs func(*look) (string, error)) error {
		if changed == nil || changed.Bytes() == 0 {
			return nil
		}
		most := wear.Most
		if m.Brief {
			most = wear.Brief
		}
		why, err := s.compare(changed, r, differs, most, room)
		var memory *executor.MemoryError
		if errors.As(err, &memory) {
			r.Notes = append(r.Notes, fmt.Sprintf("whether calls are as fast on fresh arguments is not known: %v", err))
			return nil
		}
		if err == nil && why != "" {
			found = append(found, why)
			if err = s.freshen(changed); err == nil {
				*r, err = s.measureRound(best)
				r.Notes = append(r.Notes, found...)
			}
		}
		return err
	}
	if m.Measure.Restore.Auto() && !s.ring().Fresh().Restored {
		err = remeasure(changed, s.wears)
	}
	if err != nil || !mayReorder(&m.Measure) || s.ring().Fresh().Reordered || r.Summary.MedianNS > wear.LongestLearnedNS ||
		changed.SetBytes() > wear.MostLearnedBytes {
		return err
	}
	all, err := changed.Reordered()
	if err != nil {
		return err
	}
	return remeasure(all, s.learns)
}

// compare has a look compare batches on two contents of what is written before calls.
func (s *Session) compare(
	changed *arguments.Changed, r *invocations.Result, differs func(*look) (string, error), pairs int, room int64,
) (note string, err error) {
	defer platform.QuietCollector()()
	// what prescribes batches and rotates or evicts sets does not matter here
	sets := arguments.RingSets(changed.Bytes(), 0, invocations.Warm)
	if need := changed.RingBytes(sets); need > room {
		return "", &executor.MemoryError{Err: fmt.Errorf("it takes %d MiB more, and the limit of memory leaves %d MiB", need>>20,
			max(0, room)>>20)}
	}
	ring, err := changed.Copies(sets)
	if err != nil {
		return "", err
	}
	defer ring.Free()
	t, err := s.timerOf(ring)
	if err != nil {
		return "", err
	}
	defer t.Close()
	l := look{ring: ring, timer: t, calls: 1, pairs: pairs,
		callNS: max(wear.UsualNS(r.Summary, r.Canary.Quiet, r.Canary.Batches)+s.overhead, 1)}
	if ring.Count() > 1 {
		if l.callNS <= s.plannedNS()/4 { // as before the batches that are measured
			t.SetPrelude(1)
		}
		l.calls = max(1, min(int64(ring.Count()-1), int64(wornBatchNS/l.callNS)))
	}
	if most := s.call.Work.MostCalls(); most > 0 {
		l.calls = 1
		t.SetPrelude(0)
	}
	return differs(&l)
}

// wears looks whether what the calls of a launch have left of their arguments takes another time than what the arguments
// held at first.
func (s *Session) wears(l *look) (note string, err error) {
	begun := s.now()
	factor, matters, err := s.wornBy(l)
	if err == nil && !matters && s.now().Sub(begun) < longWear { // what each second call brings back shows after one more
		if err = s.wearOnce(l); err == nil {
			factor, matters, err = s.wornBy(l)
		}
	}
	if err != nil || !matters {
		return "", err
	}
	return wear.Note(factor), nil
}

// wearOnce has the first set hold what one more call leaves of what was kept.
func (s *Session) wearOnce(l *look) error {
	l.ring.UseWorn(true)
	_, err := l.timer.Run(1, 1)
	s.call.Settle()
	return err
}

// wornBy returns how many times as long a call takes on the contents at first as on those that the first set has now, and
// whether that matters. It does not if these are the contents at first, or those that were compared before: calls that
// leave what they have found go on so.
func (s *Session) wornBy(l *look) (factor float64, matters bool, err error) {
	differs, compared, err := l.ring.Keep()
	if err != nil || compared || !differs {
		return 1, false, err
	}
	return s.lookAt(l).Matters()
}

// learns looks whether random contents in another order each time take another time than those that repeat.
func (s *Session) learns(l *look) (note string, err error) {
	at := s.lookAt(l)
	at.Learns, at.LearnedNS = l.calls, l.callNS
	factor, matters, err := at.Matters()
	if err != nil || !matters || factor < 1 {
		return "", err
	}
	return wear.NoteOrder(factor), nil
}

// lookAt returns a look at batches of calls.
func (s *Session) lookAt(l *look) *wear.Look {
	return &wear.Look{Contents: l.ring, Now: s.now, Most: l.pairs, Short: s.short, Run: func() (float64, error) {
		ns, err := l.timer.Run(l.calls, 1)
		if err != nil {
			return 0, err
		}
		s.call.Settle()
		return ns[0], nil
	}}
}

// timerOf returns a timer of the session's calls with the sets of a ring, in mode warm or serialized.
func (s *Session) timerOf(ring *arguments.Ring) (timers.Timer, error) {
	frames, err := ring.Frames()
	if err != nil {
		return nil, err
	}
	return s.timerOn(frames, ring)
}

// timerOn returns a timer of the session's calls with these frames, in mode warm or serialized. ring may be nil.
func (s *Session) timerOn(frames []native.Frame, ring *arguments.Ring) (timers.Timer, error) {
	work := *s.call.Work.(*executor.Native)
	work.Frames, work.Ring = frames, ring
	m := s.inv.Measure
	if m.Mode != invocations.Serialized {
		m.Mode = invocations.Warm
	}
	t, _, err := timers.New(&work, &m, s.instruments.clock)
	return t, err
}
