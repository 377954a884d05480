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
