package launch

import (
	"strings"
	"testing"
	"time"

	"zonemark/invocations"
)

func TestStandstill(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	s := &Standstill{last: start}
	for _, d := range []time.Duration{pulse, 2 * pulse, 2*pulse + leastStandstill - 1} {
		if s.look(at(d)); len(s.gaps) > 0 {
			t.Errorf("a look that is late counts: %v", s.gaps)
		}
	}
	s.look(at(20 * time.Second))
	stopped := 20*time.Second - (2*pulse + leastStandstill - 1)
	for _, c := range []struct{ start, want time.Duration }{
		{0, stopped}, {10 * time.Second, stopped}, {20 * time.Second, 0},
	} {
		if got := s.since(at(c.start), at(20*time.Second)); got != c.want {
			t.Errorf("since %v: %v, want %v", c.start, got, c.want)
		}
	}
	// The regular look is still to come.
	if got := s.since(at(20*time.Second), at(27*time.Second)); got != 7*time.Second {
		t.Errorf("%v", got)
	}
	var none *Standstill
	if none.since(start, at(time.Hour)) != 0 {
		t.Error("nobody looked")
	}
	r := invocations.Result{}
	if s.note(&r, start); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "stood still for") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestWatchStandstill(t *testing.T) {
	t.Parallel()
	s, stop := WatchStandstill()
	defer stop()
	s.mu.Lock()
	begun := s.last
	s.mu.Unlock()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		last := s.last
		s.mu.Unlock()
		if last.After(begun) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not look at the clock")
		}
	}
	stop()
	stop()
}
