package watching

import (
	"sync"
	"time"
)

// stoppedTime adds up how long a process was stopped. Its zero value has seen nothing.
type stoppedTime struct {
	mu   sync.Mutex
	sum  time.Duration
	from time.Time // the last look, if the process was stopped then
}

// look takes what was seen at a moment. Between two looks that both see the process stopped, it was stopped.
func (s *stoppedTime) look(stopped bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.from.IsZero() && stopped {
		s.sum += now.Sub(s.from)
	}
	s.from = time.Time{}
	if stopped {
		s.from = now
	}
}

// renew forgets what was seen.
func (s *stoppedTime) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum, s.from = 0, time.Time{}
}

func (s *stoppedTime) total() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}
