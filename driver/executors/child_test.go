package executors

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zonemark/invocations/wire"
)

// slowLeaver is an executor that works for a while after Goodbye.
type slowLeaver struct {
	takes, leave time.Duration
	ended        atomic.Bool
	killedEarly  atomic.Bool
}

func (s *slowLeaver) Start(Allowance) (*Process, error) {
	killed := make(chan struct{})
	p, err := played(func(conn *wire.Conn) {
		for {
			m, err := conn.Receive()
			if _, bye := m.(*wire.Goodbye); bye || err != nil {
				break
			}
			_ = conn.Send(&wire.Hello{Protocol: wire.Protocol}) // the driver notices
		}
		select {
		case <-time.After(s.takes):
			s.ended.Store(true)
		case <-killed:
		}
	})
	if err != nil {
		return nil, err
	}
	var once sync.Once
	p.ExitTimeout, p.Kill = s.leave, func() {
		once.Do(func() {
			s.killedEarly.Store(!s.ended.Load())
			close(killed)
		})
	}
	return p, nil
}

// An executor may take as long to end after Goodbye as its starter allows, and no longer.
func TestTimeToLeave(t *testing.T) {
	t.Parallel()
	for _, s := range []*slowLeaver{
		{takes: goodbyeTimeout + 500*time.Millisecond, leave: time.Minute},
		{takes: time.Minute, leave: 100 * time.Millisecond},
		{takes: time.Minute}, // two seconds
	} {
		c, err := startChild(t.Context(), s, "test", Allowance{})
		if err != nil {
			t.Fatal(err)
		}
		c.dismiss()
		if patient := s.takes < s.leave; s.ended.Load() != patient || s.killedEarly.Load() == patient {
			t.Errorf("it takes %v of %v: ended by itself %v, killed before %v", s.takes, s.leave, s.ended.Load(),
				s.killedEarly.Load())
		}
	}
}

// restless starts executors that say Goodbye instead of answering, as many as stated, and then good ones.
type restless struct{ leave, started int }

func (r *restless) Start(Allowance) (*Process, error) {
	r.started++
	leaves := r.started <= r.leave
	return played(func(conn *wire.Conn) {
		for {
			m, err := conn.Receive()
			var reply wire.Message = &wire.Hello{Protocol: wire.Protocol}
			if d, ok := m.(*wire.Describe); ok {
				reply = &wire.Described{ID: d.ID}
				if leaves {
					reply = &wire.Goodbye{}
				}
			}
			if _, bye := m.(*wire.Goodbye); bye || err != nil || conn.Send(reply) != nil {
				return
			}
			if _, bye := reply.(*wire.Goodbye); bye {
				return
			}
		}
	})
}

// A Goodbye may cross the next message on its way. Then another executor gets the message, and no invocation is blamed.
// If all executors do nothing but leave, the run ends.
func TestGoodbyeCrosses(t *testing.T) {
	for _, c := range []struct {
		leave   int
		started int
		fails   bool
	}{{0, 1, false}, {2, 3, false}, {100, startAttempts, true}} {
		starter := &restless{leave: c.leave}
		s := &Supervisor{Starter: starter, Build: "test"}
		reply, err := s.Ask(t.Context(), &wire.Describe{ID: "x"}, "x", 0)
		if d, ok := reply.(*wire.Described); (err != nil) != c.fails || !c.fails && (!ok || d.ID != "x") ||
			starter.started != c.started {
			t.Errorf("%d leave: %v, %v after %d starts; want %d", c.leave, reply, err, starter.started, c.started)
		}
		s.Close()
	}
}

// lingerer is an executor that leaves at once, and whose process ends when it is let go.
type lingerer struct{ letGo chan struct{} }

func (l lingerer) Start(Allowance) (*Process, error) {
	p, err := played(func(conn *wire.Conn) {
		for {
			if m, err := conn.Receive(); err != nil || conn.Send(m) != nil {
				return
			} else if _, bye := m.(*wire.Goodbye); bye {
				return
			}
		}
	})
	if err == nil {
		p.Wait = func() Exit { <-l.letGo; return Exit{} }
	}
	return p, err
}

// The next executor begins while the system still frees what the last one had, unless both may use the same. Close waits
// for all of them.
func TestNextBeginsBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		allowed Allowance
		waits   bool
	}{
		{Allowance{}, false}, {Allowance{MemoryBytes: 1 << 30, Profile: "plain"}, false}, {Allowance{Allow: "/x"}, true},
		{Allowance{Devices: "/dev/x*"}, true}, {Allowance{PrintsErrors: true}, true}, {Allowance{Exchange: &Exchange{}}, true},
	} {
		l := lingerer{letGo: make(chan struct{})}
		s := &Supervisor{Starter: l, Build: "test"}
		if err := s.Ready(t.Context(), c.allowed); err != nil {
			t.Fatal(err)
		}
		s.current.asked = true
		renewed := make(chan struct{})
		go func() { s.Renew(); close(renewed) }()
		if c.waits {
			select {
			case <-renewed:
				t.Errorf("%+v: the next one does not wait", c.allowed)
			case <-time.After(20 * time.Millisecond):
			}
			close(l.letGo)
			<-renewed
			s.Close()
			continue
		}
		<-renewed
		closed := make(chan struct{})
		go func() { s.Close(); close(closed) }()
		select {
		case <-closed:
			t.Errorf("%+v: Close does not wait", c.allowed)
		case <-time.After(20 * time.Millisecond):
		}
		close(l.letGo)
		<-closed
	}
}
