package remote

import (
	"encoding/binary"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"zonemark/invocations/wire"
)

const (
	beatEvery = 10 * time.Second
	// mostMissed is after how many beats in a row without any message from the other side it counts as gone. A network
	// that is cut off tells neither side.
	mostMissed = 6
)

// pulse sends ticks. They tell the other side that this one lives, and pulse notices when the other one does not.
//
// They also keep messages from waiting: some networks, such as that of srun, hold back a message until they hear that the
// one before it has come, which the other side tells only with data of its own, or 40 ms later (Nagle's algorithm and
// delayed acknowledgements, RFC 1122, 4.2.3.2 and 4.2.3.4). So each message is answered by a tick soon, unless this side
// has something to say; and each tick by another one, later and later, until silence hurts no more.
type pulse struct {
	lost   func() // is called once if the other side is gone
	now    chan struct{}
	done   chan struct{}
	closed sync.Once
	alive  atomic.Bool // something was heard since the last beat

	mu    sync.Mutex
	delay time.Duration // of the next answer
	timer *time.Timer   // sends it
}

const (
	soonest = 500 * time.Microsecond // more is seldom between an answer and what it answers
	latest  = 40 * time.Millisecond
)

func newPulse(lost func()) *pulse {
	p := &pulse{lost: lost, now: make(chan struct{}, 1), done: make(chan struct{}), delay: soonest}
	p.timer = time.AfterFunc(time.Hour, p.soon)
	p.timer.Stop()
	return p
}

// sent takes notice of a message, but a tick, that is about to be sent.
func (p *pulse) sent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	p.delay = soonest
}

// heard takes notice of a message from the other side.
func (p *pulse) heard(m wire.Message) {
	p.alive.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, tick := m.(*wire.Tick); tick {
		p.delay = min(2*p.delay, 2*latest)
	} else {
		p.delay = soonest
	}
	if p.delay < latest {
		p.timer.Reset(p.delay)
	}
}

// run sends ticks until stop.
func (p *pulse) run(conn *wire.Conn) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	missed, count := 0, int64(0)
	for {
		select {
		case <-p.done:
			return
		case <-p.now:
		case <-beat.C: // a process that was stopped gets one beat for all that it missed
			if missed++; p.alive.Swap(false) {
				missed = 0
			}
			if missed >= mostMissed {
				p.lost()
				return
			}
		}
		count++
		if conn.Send(&wire.Tick{Count: count}) != nil { // who reads notices it, too
			return
		}
	}
}

func (p *pulse) stop() {
	p.timer.Stop()
	p.closed.Do(func() { close(p.done) })
}

// line is a connection whose ticks pulse sends.
type line struct {
	*wire.Conn
	pulse *pulse
}

// Send sends a message.
func (l *line) Send(m wire.Message) error {
	l.pulse.sent()
	return l.Conn.Send(m)
}

// soon has a tick sent at once.
func (p *pulse) soon() {
	select {
	case p.now <- struct{}{}:
	default:
	}
}

// prompting reads frames. When a part of one has come and the rest has not, it has a tick sent at once, since
// srun takes long messages apart; see pulse.
type prompting struct {
	r      io.Reader
	soon   func()
	header []byte // of the next frame, as far as it has come
	left   int64  // bytes of the present frame that have not come
}

// Read reads, and follows the frames.
func (p *prompting) Read(b []byte) (int, error) {
	if p.left > 0 || len(p.header) > 0 {
		p.soon()
	}
	n, err := p.r.Read(b)
	p.follow(b[:n])
	return n, err
}

func (p *prompting) follow(b []byte) {
	for len(b) > 0 {
		if p.left > 0 {
			n := min(p.left, int64(len(b)))
			p.left, b = p.left-n, b[n:]
			continue
		}
		n := min(4-len(p.header), len(b)) // see wire.Conn
		p.header, b = append(p.header, b[:n]...), b[n:]
		if len(p.header) == 4 {
			p.left, p.header = int64(binary.LittleEndian.Uint32(p.header)), p.header[:0]
		}
	}
}
