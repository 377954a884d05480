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

// pulse tells the other side that this one lives, and notices when the other one does not.
type pulse struct {
	lost   func() // is called once if the other side is gone
	now    chan struct{}
	done   chan struct{}
	closed sync.Once
	alive  atomic.Bool // something was heard since the last beat
}

func newPulse(lost func()) *pulse {
	return &pulse{lost: lost, now: make(chan struct{}, 1), done: make(chan struct{})}
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

func (p *pulse) heard() { p.alive.Store(true) }

func (p *pulse) stop() { p.closed.Do(func() { close(p.done) }) }

// soon has a tick sent at once.
func (p *pulse) soon() {
	select {
	case p.now <- struct{}{}:
	default:
	}
}

// prompting reads frames. When a part of one has come and the rest has not, it has a tick sent: some networks, such as
// that of srun, hold the rest back until they hear of the part, which the other side tells only with its own data, or 40
// ms later (Nagle's algorithm and delayed acknowledgements, RFC 1122, 4.2.3.2 and 4.2.3.4).
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
