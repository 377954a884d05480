package launch

import (
	"fmt"
	"sync"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/invocations"
)

const (
	pulse = 250 * time.Millisecond // how often the driver looks whether it has stood still
	// leastStandstill is the shortest gap between two looks that is told. On a busy machine, a look can be late by a
	// second.
	leastStandstill = 3 * time.Second
)

// Standstill notices when this process does not run for seconds: somebody has stopped it, or the machine slept.
type Standstill struct {
	mu   sync.Mutex
	last time.Time // of the last look
	gaps []gap
}

type gap struct{ from, to time.Time }

// WatchStandstill looks at the clock until stop is called.
func WatchStandstill() (s *Standstill, stop func()) {
	s = &Standstill{last: time.Now()}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(pulse)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				s.look(time.Now())
			}
		}
	}()
	return s, sync.OnceFunc(func() { close(done) })
}

// look remembers the gap since the last look if it is long.
func (s *Standstill) look(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if executors.Elapsed(s.last, now) >= leastStandstill {
		s.gaps = append(s.gaps, gap{s.last, now})
	}
	s.last = now
}

// since returns how long the process has stood still after a moment. It looks at the clock first, as the next regular
// look may be due.
func (s *Standstill) since(start, now time.Time) (total time.Duration) {
	if s == nil {
		return 0
	}
	s.look(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gaps {
		if g.to.After(start) {
			total += executors.Elapsed(g.from, g.to)
		}
	}
	return total
}

// note adds a note to a result during which the process stood still.
func (s *Standstill) note(r *invocations.Result, start time.Time) {
	if d := s.since(start, time.Now()); d > 0 {
		combine.AddNew(&r.Notes, []string{fmt.Sprintf("while it was measured, zonemark stood still for %.1f s: it was "+
			"stopped, or the machine slept", d.Seconds())})
	}
}
