package driver

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zonemark/invocations"
)

// slowLeaver is an executor that has something to do after Goodbye.
type slowLeaver struct {
	takes, leave time.Duration
	ended        atomic.Bool
	killedEarly  atomic.Bool
}

func (s *slowLeaver) Start() (*Process, error) {
	in, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	killed, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		conn := invocations.NewConn(in, out)
		for {
			m, err := conn.Receive()
			if _, bye := m.(*invocations.Goodbye); bye || err != nil {
				break
			}
			_ = conn.Send(&invocations.Hello{Protocol: invocations.Protocol}) // the driver notices
		}
		select {
		case <-time.After(s.takes):
			s.ended.Store(true)
		case <-killed:
		}
	}()
	var once sync.Once
	kill := func() {
		once.Do(func() {
			s.killedEarly.Store(!s.ended.Load())
			close(killed)
		})
	}
	wait := func() Exit { <-done; return Exit{} }
	return &Process{To: to, From: from, Kill: kill, Wait: wait, Forget: func() {}, Leave: s.leave}, nil
}

// An executor has the time that its starter says to end after Goodbye, and no more.
func TestTimeToLeave(t *testing.T) {
	for _, s := range []*slowLeaver{
		{takes: goodbyeTimeout + 500*time.Millisecond, leave: time.Minute},
		{takes: time.Minute, leave: 100 * time.Millisecond},
		{takes: time.Minute}, // two seconds
	} {
		c, err := startChild(t.Context(), s, "test")
		if err != nil {
			t.Fatal(err)
		}
		c.dismiss()
		if patient := s.takes < s.leave; s.ended.Load() != patient || s.killedEarly.Load() == patient {
			t.Errorf("it takes %v of %v: ended by itself %v, killed before %v", s.takes, s.leave, s.ended.Load(), s.killedEarly.Load())
		}
	}
}
