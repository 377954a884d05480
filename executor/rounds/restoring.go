package rounds

import (
	"fmt"
	"math"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/wire"
)

const (
	// nearBytes and coreBytes are what fits well into the first cache of nearly every processor, and into those that
	// belong to one core. Restoring leaves the arguments in the caches. If all sets of a batch fit where one set fits,
	// calls find their arguments as near as a call does whose caller has just written them.
	nearBytes, coreBytes = 32 << 10, 512 << 10
	// mostCopies bounds the memory of sets, in bytes, if the user chooses the number of calls in a batch.
	mostCopies = 64 << 20
	frameBytes = 64 // of a set in the timed loop
	// exactBatchNS is the length of a batch from which on what happens at its ends, some nanoseconds, hardly matters.
	exactBatchNS = 2000
)

// ring returns the sets that are restored before each batch; nil if calls find what calls before them have left.
func (s *Session) ring() *arguments.Ring {
	if n, ok := s.call.Work.(*executor.Native); ok {
		return n.Ring
	}
	return nil
}

// restorable returns how many calls in a batch find restored arguments. One set is that of the untimed call before the
// batch.
func (s *Session) restorable() int64 {
	ring := s.ring()
	if ring == nil {
		return math.MaxInt32
	}
	return int64(max(1, ring.Count()-1))
}

// noPrelude reports whether there is no set for an untimed call before each batch.
func (s *Session) noPrelude() bool {
	ring := s.ring()
	return ring != nil && ring.Count() == 1
}

// ringSets returns of how many sets a ring consists, the one of the untimed call included, if calls change so many bytes
// of each. fixed is the number of calls in a batch if it is prescribed, else 0.
func ringSets(changed, fixed int64, mode invocations.Mode) int {
	each := changed + frameBytes
	most := max(1, mostCopies/each)
	switch {
	case mode == invocations.Flush:
		return 1 // its lines are evicted before each call, so that an untimed call would be of no use
	case fixed > 0:
		return int(min(fixed+1, most))
	case each <= nearBytes:
		return int(max(2, nearBytes/each))
	case each <= coreBytes:
		return int(max(2, coreBytes/each))
	}
	return int(min(2, most))
}

// wantsRestored reports whether calls shall find restored arguments from the first one on.
func wantsRestored(m *wire.Execute) bool {
	switch m.Measure.Restore {
	case invocations.RestoreAlways:
		return true
	case invocations.RestoreNever:
		return false
	}
	return m.Restored
}

// changed returns what calls change and read again. It is nil if that cannot be restored.
func (s *Session) changed() *arguments.Changed {
	if n, ok := s.call.Work.(*executor.Native); ok && n.Each() == 1 {
		return n.Changed
	}
	return nil
}

// restoreIfAsked has calls find restored arguments if the message wants that. It returns an *UnsupportedError if the
// user asks for what the runtime cannot do.
func (s *Session) restoreIfAsked(m *wire.Execute) error {
	if !wantsRestored(m) || s.ring() != nil {
		return nil
	}
	changed := s.changed()
	switch {
	case changed != nil && changed.Bytes() > 0:
		return s.restoreCalls()
	case changed == nil && m.Measure.Restore == invocations.RestoreAlways && !restoresAnyway(s.call.Work):
		return &executor.UnsupportedError{Reason: fmt.Sprintf("restore \"always\": the runtime %s has no access to arguments between calls, or "+
			"its calls cannot change them; leave it to \"auto\"", m.Runtime)}
	}
	return nil
}

// restoresAnyway reports whether calls find restored arguments without any doing of the session.
func restoresAnyway(w executor.Workload) bool {
	f, ok := w.(*executor.Function)
	return ok && f.Restores
}

// restoreCalls has the session begin anew, with calls that find restored arguments.
func (s *Session) restoreCalls() error {
	before, work := s.call, *s.call.Work.(*executor.Native)
	ring, err := work.Changed.Ring(ringSets(work.Changed.Bytes(), s.fixedCalls(), s.inv.Measure.Mode), s.calls > 0)
	if err != nil {
		return err
	}
	if work.Frames, err = ring.Frames(); err == nil {
		work.Ring = ring
		call := *before
		call.Work, call.SetBytes = &work, before.SetBytes+ring.CopyBytes()
		call.Close = func() {
			ring.Free()
			before.Release()
		}
		err = s.beginAnew(&call)
	}
	if err != nil {
		ring.Free()
	}
	return err
}

// beginAnew has the session begin with another call of the same invocation. It knows what was found of the threads.
func (s *Session) beginAnew(call *executor.Call) error {
	fresh, err := newSession(s.inv, call, s.instruments)
	if err != nil {
		return err
	}
	fresh.trusted, fresh.part, fresh.moved, fresh.inTurns = s.trusted, s.part, s.moved, s.inTurns
	fresh.asked, fresh.steps, fresh.scalarClock, fresh.short = s.asked, s.steps, s.scalarClock, s.short
	fresh.keep(s.ledger)
	if was, is := s.watch.threads, fresh.watch.threads; was != nil && is != nil {
		is.ours, is.known, is.found = was.ours, was.known, was.found
	}
	if was, is := s.watch.counts, fresh.watch.counts; was != nil && is != nil {
		is.pass = was.pass
	}
	s.release()
	*s = *fresh
	return nil
}

// noteRestored marks a result whose calls found restored arguments. The first launch of an invocation says why, unless
// it has found out itself.
func (s *Session) noteRestored(m *wire.Execute, r *invocations.Result) {
	if s.ring() == nil {
		return
	}
	r.Restored = true
	if first := !m.Trusted; first && wantsRestored(m) {
		note := "the arguments that calls change are restored before each call, which is not timed"
		if m.Measure.Restore != invocations.RestoreAlways {
			note += ", since the other side needs that"
		}
		r.Notes = append(r.Notes, note)
	}
	if s.fixedCalls() > 0 {
		return
	}
	batchNS := (r.Summary.MedianNS + s.overhead) * float64(s.calls)
	if len(r.SamplesNS) > 0 && batchNS < exactBatchNS {
		r.Notes = append(r.Notes, fmt.Sprintf("batches of restored calls take only %s, since only %d of their "+
			"argument sets fit into the nearest cache: the beginning and the end of a batch may add to the time; "+
			"a given number of calls for each batch makes batches longer", figures.Time(batchNS), s.calls))
	}
}
