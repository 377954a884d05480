package rounds

import (
	"math"
	"time"

	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

const (
	// firstScalarWork is how long a core makes scalar additions before the first batch, and settling how long it makes
	// calls until its clock is theirs. In a process that has just begun, cores take 3.5 ms to raise their clock after
	// wide vector units.
	firstScalarWork = 5 * time.Millisecond
	settling        = 2 * time.Millisecond
	// nearBatches are those next to scalar work whose clock is compared with it. Neighbours change the clock, too, from
	// tens of milliseconds to the next.
	nearBatches = 40
	// longBefore and longAfter are the least measured times, in nanoseconds, of launches in which the clock of scalar
	// code is looked at before the batches, which costs 7 ms, and after them, which costs 2 ms.
	longBefore, longAfter = 20e6, 5e6
	// longSettling is the length of an entry of the timer, in nanoseconds, from which the calls before the first batch
	// would take too long. Only the look after the batches is made then.
	longSettling = 20e6
	// sharedLook is how long a look holds for the core: neighbours change the clock from tens of milliseconds to the next.
	sharedLook = 10 * time.Millisecond
)

// scalarMoment is a look at the clock of scalar code. The zero value is none.
type scalarMoment struct {
	look  native.ScalarLook
	ended time.Time
	cpu   int
}

// recent returns the look if it holds for a CPU at present, else none.
func (m scalarMoment) recent(now time.Time, cpu int) native.ScalarLook {
	if cpu < 0 || m.cpu != cpu || now.Sub(m.ended) > sharedLook {
		return native.ScalarLook{}
	}
	return m.look
}

// ownClock finds out how far a function changes the clock of its core itself, as wide vector units and matrix units do.
// It compares the clock during batches with that of scalar code next to them. Neighbours change both alike.
type ownClock struct {
	around        surroundings
	core          *native.Canary    // nil: the function's clock is not looked for
	before, after native.ScalarLook // zero: not looked
	first, last   []float64         // clock of the batches next to that
}

// newOwnClock returns what looks for the clock of a session's function. Nothing does in steps: both sides share a
// clock.
func newOwnClock(s *Session) ownClock {
	if s.watch.canary == nil || s.steps != nil {
		return ownClock{}
	}
	return ownClock{around: s.instruments.around, core: s.watch.canary.core}
}

// add takes the probes around an entry of the timer.
func (o *ownClock) add(before, after noise.Probes) {
	if o.core == nil {
		return
	}
	ghz := (before.GHz + after.GHz) / 2
	if len(o.first) < nearBatches {
		o.first = append(o.first, ghz)
	}
	if len(o.last) == nearBatches {
		o.last = append(o.last[:0], o.last[1:]...)
	}
	o.last = append(o.last, ghz)
}

// lookBefore looks at the clock of scalar code before the first batch, and has the function's calls settle the clock.
// In turns, the look after the batches is enough; in short launches, that of the launch before.
func (s *sampling) lookBefore() error {
	if s.own.core == nil || s.inTurns {
		return nil
	}
	if s.short {
		s.own.before = s.instruments.scalar.recent(s.now(), s.own.around.cpu())
		return nil
	}
	if s.budget.shortest() < longBefore || s.entryNS > longSettling {
		return nil
	}
	s.own.before = s.own.around.scalar(s.own.core, firstScalarWork, false, s.batchNS())
	return s.settleClock()
}

// settleInTurn makes calls that do not count until the clock of the core is that of these calls, and not that of the
// other side, whose turn it was. Some have been made since begun.
func (s *Session) settleInTurn(begun time.Time) error {
	if !s.inTurns || s.watch.canary == nil {
		return nil
	}
	return s.settleSince(begun)
}

// settleClock makes calls that do not count until the clock of the core is that of these calls.
func (s *Session) settleClock() error { return s.settleSince(s.now()) }

func (s *Session) settleSince(begun time.Time) error {
	for s.now().Sub(begun) < settling {
		if _, err := s.warmRun(s.calls, s.batches); err != nil {
			return err
		}
	}
	return nil
}

// batchNS returns the length of a batch.
func (s *Session) batchNS() float64 { return s.entryNS / float64(max(1, s.batches)) }

// lookAfter looks at the clock of scalar code after the last batch. The look between two short launches holds for both.
func (s *sampling) lookAfter() {
	if s.own.core == nil || len(s.own.last) == 0 || s.short && s.own.before.GHz > 0 {
		return
	}
	if s.budget.shortest() >= longAfter || s.scalarClock {
		s.own.after = s.own.around.scalar(s.own.core, native.ScalarWork, s.short, s.batchNS())
		s.instruments.scalar = scalarMoment{s.own.after, s.now(), s.own.around.cpu()}
	}
}

// report enters what was found; nothing if nobody has looked.
func (o *ownClock) report(c *invocations.Canary) {
	ratio, scalar, stops, looks := 0.0, 0.0, 0.0, 0.0
	for _, look := range []struct {
		native.ScalarLook
		batches []float64
	}{{o.before, o.first}, {o.after, o.last}} {
		if !(look.GHz > 0) || len(look.batches) == 0 {
			continue
		}
		ratio += math.Log(stats.Typical(look.batches) / look.GHz)
		scalar += math.Log(look.GHz)
		stops += look.Stops
		looks++
	}
	if looks > 0 {
		c.OwnClock, c.ScalarGHz, c.Stops = math.Exp(ratio/looks), math.Exp(scalar/looks), stops/looks
	}
}
