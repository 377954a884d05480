package remote

import (
	"fmt"
	"io"
	"sync"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations/wire"
)

const (
	// window is how many bytes of an executor may be on their way or unread, so that one whose output nobody reads does
	// not hold up the others.
	window = 1 << 20
	// chunk is the largest number of bytes of a Data or Piece message.
	chunk = 128 << 10
)

// stream is the driver's end of an executor on a host.
type stream struct {
	session *Session
	number  int64
	began   time.Time
	exited  chan struct{} // closed when exit is known
	exit    executors.Exit

	mu      sync.Mutex
	arrived *sync.Cond
	data    []byte
	taken   int64 // bytes that were read and for which the host has no credit yet
	closed  bool  // nothing more arrives
	killed  bool  // the host sends the rest without waiting for credit
	gone    bool  // exited is closed
	stopped time.Duration
	starved bool  // see wire.Data
	worked  int64 // likewise

	discards bool  // see discard
	requests int64 // Data with Discard that were sent
	measures bool  // the host was told that the executor measures, since the last of these
}

// take takes bytes from the host. It is an error if the host does not keep to its credit.
func (st *stream) take(m *wire.Data) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.stopped = st.believed(m.StoppedNS)
	st.starved = st.starved || m.Starved
	st.worked = max(0, m.WorkedNS)
	st.closed = st.closed || m.End
	if len(st.data)+len(m.Bytes) > 2*window {
		if st.closed = true; !st.killed {
			return fmt.Errorf("it sent more of an executor's output than it was asked for, %d bytes at once", 2*window)
		}
	} else if !st.closed || m.End {
		st.data = append(st.data, m.Bytes...)
	}
	st.arrived.Broadcast()
	return nil
}

// believed returns how long an executor was stopped, which is not longer than it is there.
func (st *stream) believed(stoppedNS int64) time.Duration {
	return max(0, min(time.Duration(stoppedNS), time.Since(st.began)))
}

// Read reads what the executor has written.
func (st *stream) Read(b []byte) (int, error) {
	st.mu.Lock()
	for len(st.data) == 0 && !st.closed {
		st.arrived.Wait()
	}
	n := copy(b, st.data)
	if st.data = st.data[n:]; len(st.data) == 0 {
		st.data = nil
	}
	st.taken += int64(n)
	credit := int64(0)
	if st.taken >= window/4 && !st.closed {
		credit, st.taken = st.taken, 0
	}
	st.mu.Unlock()
	if credit > 0 {
		if err := st.session.conn.Send(&wire.Credit{Stream: st.number, Bytes: credit}); err != nil {
			st.session.fail(err.Error())
		}
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close stops reading.
func (st *stream) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.closed, st.data = true, nil
	st.arrived.Broadcast()
	return nil
}

// ended takes what the host tells of the executor's end.
func (st *stream) ended(m *wire.Ended) {
	exit := executors.Exit{
		Signal: m.Signal, Code: int(m.Code), MaxRSSBytes: m.MaxRSSBytes, Stderr: m.Stderr,
		Exceeded: executors.Exceeded{Limit: executors.Limit(m.Limit), Used: m.Used, Allowed: m.Allowed, Own: m.Own},
	}
	if m.NotStarted != "" {
		exit.Stderr = append(exit.Stderr, short(m.NotStarted))
	}
	st.mu.Lock()
	st.stopped = st.believed(m.StoppedNS)
	st.mu.Unlock()
	st.finish(exit)
}

// end takes notice of the end of the session.
func (st *stream) end() { st.finish(executors.Exit{Lost: st.session.lost.Error()}) }

func (st *stream) finish(exit executors.Exit) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.closed = true
	if !st.gone {
		st.gone, st.exit = true, exit
		close(st.exited)
	}
	st.arrived.Broadcast()
}

// killPatience is how long a host may take to end an executor and to say so. Over a bad network that may be long.
const killPatience = 2 * time.Minute

// kill ends the executor. A host that does not say that it has ended is given up.
func (st *stream) kill() {
	st.mu.Lock()
	first := !st.killed
	st.killed = true
	st.mu.Unlock()
	if !first {
		return
	}
	go func() { // it must not wait for a network
		st.send(&wire.Kill{Stream: st.number})
		select {
		case <-st.exited:
		case <-time.After(st.session.killPatience):
			st.session.fail("it does not say that an executor has ended, which it was told to end")
		}
	}()
}

// discard has the output so far dropped before the next message.
func (st *stream) discard() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.stopped, st.worked, st.discards = 0, 0, true
}

// discarding reports once that discard was called.
func (st *stream) discarding() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	was := st.discards
	if st.discards = false; was {
		st.requests, st.measures = st.requests+1, false
	}
	return was
}

func (st *stream) send(m wire.Message) {
	if err := st.session.conn.Send(m); err != nil {
		st.session.fail(err.Error())
	}
}

func (st *stream) stoppedTime() time.Duration {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.stopped
}

func (st *stream) hasStarved() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.starved
}

// beginWork tells the host that the executor begins to measure.
func (st *stream) beginWork() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.measures {
		return
	}
	st.measures = true
	go st.send(&wire.Data{Stream: st.number, Measures: st.requests}) // it must not wait for a network
}

func (st *stream) workedNS() int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.worked
}

func (st *stream) wait() executors.Exit {
	<-st.exited
	return st.exit
}

// sending writes to an executor.
type sending struct{ st *stream }

// Write sends bytes to the executor.
func (w sending) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		part := b[:min(len(b), chunk)]
		m := &wire.Data{Stream: w.st.number, Bytes: part, Discard: w.st.discarding()}
		if err := w.st.session.conn.Send(m); err != nil {
			return n, w.st.session.lostBy(err)
		}
		n, b = n+len(part), b[len(part):]
	}
	return n, nil
}

// Close tells the executor that nothing more comes.
func (w sending) Close() error {
	w.st.send(&wire.Data{Stream: w.st.number, End: true})
	return nil
}
