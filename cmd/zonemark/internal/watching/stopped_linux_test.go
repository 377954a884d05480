package watching

import (
	"testing"
	"time"
)

func TestStoppedTime(t *testing.T) {
	s, start := &stoppedTime{}, time.Now()
	for _, look := range []struct {
		at      time.Duration
		stopped bool
		total   time.Duration
	}{
		{0, false, 0}, {1, true, 0}, {3, true, 2}, {7, true, 6}, {8, false, 6}, {9, false, 6}, {10, true, 6}, {11, false, 6},
		{12, true, 6}, {14, true, 8},
	} {
		if s.look(look.stopped, start.Add(look.at)); s.total() != look.total {
			t.Errorf("at %d: %d, want %d", look.at, s.total(), look.total)
		}
	}
	s.renew()
	if s.look(true, start.Add(20)); s.total() != 0 {
		t.Errorf("renewed: %d", s.total())
	}
}
