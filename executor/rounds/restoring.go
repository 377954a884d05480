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

// exactBatchNS is the length of a batch from which on what happens at its ends, some nanoseconds, hardly matters.
const exactBatchNS = 2000

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

// wants returns what calls shall find in their arguments from the first one on.
func wants(m *wire.Execute) invocations.Fresh {
	of := &m.Measure
	return invocations.Fresh{
		Restored:  of.Restore == invocations.WhenAlways || of.Restore != invocations.WhenNever && m.Restored,
		Reordered: of.Reorder == invocations.WhenAlways || mayReorder(of) && m.Reordered,
	}
}

// mayReorder reports whether it is left to the executor to put random contents into other orders. Who wants calls to find
// what others have left does not want that.
func mayReorder(m *invocations.Measure) bool {
	return m.Restore != invocations.WhenNever && m.Reorder.Auto()
}

// changed returns what calls change and read again. It is nil if that cannot be restored.
func (s *Session) changed() *arguments.Changed {
	if n, ok := s.call.Work.(*executor.Native); ok && n.Each() == 1 {
		return n.Changed
	}
	return nil
}

// freshenIfAsked has calls find the arguments that the message wants. It returns an *UnsupportedError if the user asks for
// what the runtime cannot do.
func (s *Session) freshenIfAsked(m *wire.Execute) error {
	want, has, changed := wants(m), s.ring().Fresh(), s.changed()
	if changed == nil {
		return s.cannotFreshen(m)
	}
	if want.Reordered && !has.Reordered {
		switch all, err := changed.Reordered(); {
		case err != nil:
			return err
		case all != nil:
			return s.freshen(all)
		}
	}
	if want.Restored && !has.Restored && changed.Bytes() > 0 {
		return s.freshen(changed)
	}
	return nil
}

// cannotFreshen returns an *UnsupportedError if the user asks for what a runtime cannot do that has no access to arguments.
func (s *Session) cannotFreshen(m *wire.Execute) error {
	asked := ""
	switch invocations.WhenAlways {
	case m.Measure.Restore:
		asked = "restore"
	case m.Measure.Reorder:
		asked = "reorder"
	}
	if f, ok := s.call.Work.(*executor.Function); asked == "" || ok && f.Restores { // that restores anyway
		return nil
	}
	return &executor.UnsupportedError{Reason: fmt.Sprintf("%s \"always\": the runtime %s has no access to arguments between "+
		"calls, or its calls cannot change them; leave it to \"auto\"", asked, m.Runtime)}
}

// freshen has the session begin anew, with calls whose arguments are written before them.
func (s *Session) freshen(changed *arguments.Changed) error {
	before, work := s.call, *s.call.Work.(*executor.Native)
	ring, err := changed.Ring(arguments.RingSets(changed.Bytes(), s.fixedCalls(), s.inv.Measure.Mode), s.calls > 0)
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

// noteFresh marks a result whose calls found fresh arguments. The first launch of an invocation says why, unless it has
// found out itself.
func (s *Session) noteFresh(m *wire.Execute, r *invocations.Result) {
	if s.ring() == nil {
		return
	}
	r.Fresh = s.ring().Fresh()
	want, of := wants(m), &m.Measure
	for _, note := range []struct {
		of   bool
		text string
		when invocations.When
	}{
		{want.Restored && r.Restored, "the arguments that calls change are restored before each call", of.Restore},
		{want.Reordered && r.Reordered, "random contents are put into another order before each call", of.Reorder},
	} {
		if !note.of || m.Trusted {
			continue
		}
		note.text += ", which is not timed"
		if note.when != invocations.WhenAlways {
			note.text += ", since the other side needs that"
		}
		r.Notes = append(r.Notes, note.text)
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
