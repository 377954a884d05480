package executors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

// state is the state of a child, as far as the driver knows it.
type state int

const (
	started     state = iota // the process runs, no message was exchanged
	handshaking              // our Hello was sent
	idle                     // it waits for a message
	executing                // it has a message to answer
	gone                     // it has ended and its exit is known
)

const (
	handshakeTimeout = 20 * time.Second
	goodbyeTimeout   = 2 * time.Second
)

// child is one executor process and the conversation with it. It is used by one goroutine.
type child struct {
	state    state
	process  *Process
	allowed  Allowance // with which it was started
	conn     *wire.Conn
	received chan received
	hello    *wire.Hello
	asked    bool   // it was asked for more than a handshake
	served   string // id of the first invocation that it executed
	shared   bool   // it has executed another invocation than the first
	phase    string // the phase that the executor reported last
	entered  bool   // it has begun a phase, of any message: native code may have run in the process
	exit     Exit   // in state gone
	words    Words  // of remedies; may be nil
}

type received struct {
	message wire.Message
	err     error
}

// Words says what a user may do about an error, in the words of the interface that he uses: a flag, or a key. Nil: a
// remedy says itself.
type Words func(remedy.Remedy) string

// startChild starts an executor and exchanges Hello messages with it.
func startChild(ctx context.Context, starter Starter, build string, allowed Allowance) (*child, error) {
	p, err := starter.Start(allowed)
	if err != nil {
		return nil, err
	}
	c := &child{
		state: started, process: p, allowed: allowed, conn: wire.NewConn(p.From, p.To), received: make(chan received),
	}
	go c.receive()
	c.state = handshaking
	reply, err := c.ask(ctx, &wire.Hello{Protocol: wire.Protocol, Build: build}, "", handshakeTimeout)
	if err != nil {
		c.end()
		if c.exit.Lost != "" {
			return nil, &lostError{c.exit.Lost}
		}
		return nil, fmt.Errorf("the executor did not start: %w%s", err, quote(c.exit.Stderr))
	}
	hello := reply.(*wire.Hello) // see answers
	if err := hello.Check(); err != nil {
		c.end()
		return nil, err
	}
	c.hello, c.state = hello, idle
	return c, nil
}

// receive passes the executor's messages to c.received until the stream ends.
func (c *child) receive() {
	defer close(c.received)
	for {
		m, err := c.conn.Receive()
		c.received <- received{m, err}
		if err != nil {
			return
		}
	}
}

// ErrTimeout reports that the deadline passed. The child was killed.
var ErrTimeout = errors.New("no answer before the deadline")

// errEnded reports that the stream ended without an answer. The child is gone.
var errEnded = errors.New("the executor ended without an answer")

// errLeft reports that the executor sent Goodbye before it read the message. The executor is gone and did not handle
// the message.
var errLeft = errors.New("the executor has left and wants to be replaced")

// ask sends a message and waits for its answer, the message of the kind that answers it, with the same id. A timeout of 0 means no limit. After any
// error the child is gone: it ended or was killed, and its exit is known.
func (c *child) ask(ctx context.Context, m wire.Message, id string, timeout time.Duration) (wire.Message, error) {
	if c.state == idle {
		c.state = executing
	}
	c.phase = ""
	if c.state != handshaking { // an executor that is started ahead has nothing to do until it is asked
		c.process.DiscardOutput() // not on Started: output of native code may arrive before that message
	}
	sent := make(chan error, 1)
	go func() { sent <- c.conn.Send(m) }() // in a goroutine, since a child that does not read blocks it
	var deadline <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		deadline = t.C
	}
	for {
		select {
		case <-ctx.Done():
			c.end()
			return nil, ctx.Err()
		case <-deadline:
			c.end()
			return nil, ErrTimeout
		case err := <-sent:
			sent = nil
			if err != nil && !isClosedPipe(err) { // after a closed pipe, the stream ends as well
				c.end()
				return nil, err
			}
		case r := <-c.received:
			if reply, err := c.take(r, m, id); reply != nil || err != nil {
				c.tellRemedies(reply)
				return reply, err
			}
		}
	}
}

// tellRemedies adds the remedies of an error to its text, in words.
func (c *child) tellRemedies(m wire.Message) {
	switch m := m.(type) {
	case *wire.Described:
		m.Error = remedy.Tell(m.Error, m.Remedies, c.words)
		for i := range m.Descriptions {
			for j := range m.Descriptions[i].Functions {
				f := &m.Descriptions[i].Functions[j]
				f.Skip = remedy.Tell(f.Skip, f.Remedies, c.words)
			}
		}
	case *wire.Built:
		m.Error = remedy.Tell(m.Error, m.Remedies, c.words)
	case *wire.Result:
		m.Error = remedy.Tell(m.Error, m.Remedies, c.words)
	}
}

// take handles what was received while the child is asked for the answer to a message with this id. It returns the
// answer, or an error if there will be none, or nil and nil if the answer is still to come.
func (c *child) take(r received, asked wire.Message, id string) (wire.Message, error) {
	switch {
	case errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrUnexpectedEOF):
		c.reap()
		return nil, errEnded
	case r.err != nil:
		c.end()
		return nil, fmt.Errorf("the executor's messages were garbled, perhaps by native code that writes to "+
			"descriptors it does not own: %w", r.err)
	}
	if s, ok := r.message.(*wire.Started); ok && s.ID == id {
		if c.phase, c.entered = s.Phase, true; s.Phase == phaseMeasure && c.process.BeginWork != nil {
			c.process.BeginWork()
		}
		return nil, nil
	}
	if answers(r.message, asked, id) {
		if c.process.Starved != nil && c.process.Starved() { // a call that waited for its children goes on when one is ended
			c.end()
			return nil, errEnded
		}
		if c.state == executing {
			c.state = idle
		}
		return r.message, nil
	}
	if _, bye := r.message.(*wire.Goodbye); bye && c.phase == "" {
		c.reap()
		return nil, errLeft
	}
	c.end()
	return nil, fmt.Errorf("the executor answered %s with %s, which nobody asked for; native code may have changed its memory",
		kindOf(asked), kindOf(r.message))
}

// answers reports whether m is the answer to a message with this id. Each message has one kind of answer: native code
// that has taken over an executor knows ids, and may answer with any kind.
func answers(m, asked wire.Message, id string) bool {
	switch asked.(type) {
	case *wire.Hello:
		_, ok := m.(*wire.Hello)
		return ok
	case *wire.Describe:
		reply, ok := m.(*wire.Described)
		return ok && reply.ID == id
	case *wire.Build:
		reply, ok := m.(*wire.Built)
		return ok && reply.ID == id
	case *wire.Execute:
		reply, ok := m.(*wire.Result)
		return ok && reply.ID == id
	}
	return false
}

// kindOf returns the name of a message's kind, such as "Result".
func kindOf(m wire.Message) string { return strings.TrimPrefix(fmt.Sprintf("%T", m), "*wire.") }

// phaseMeasure is the phase in which an executor times calls.
const phaseMeasure = "measure"

// longestThreadNS returns the CPU time that the busiest thread of the executor has had since it began to measure; 0 if
// that is not known.
func (c *child) longestThreadNS() float64 {
	if c.process.WorkedNS == nil {
		return 0
	}
	return float64(c.process.WorkedNS())
}

// stopped returns how long a signal has stopped the process since it was asked for the last time.
func (c *child) stopped() time.Duration {
	if c.process.Stopped == nil {
		return 0
	}
	return c.process.Stopped()
}

// stoppedText says for how long a signal has stopped the process, or one that it has started, since it was asked for
// the last time; "" if none has.
func (c *child) stoppedText() string {
	if d := c.stopped(); d > 0 {
		return fmt.Sprintf("a signal had stopped the executor for %.1f s", d.Seconds())
	}
	return ""
}

// leaves reports whether the executor said Goodbye after its last answer, because it wants to be replaced. An executor
// that says anything else without being asked is replaced too, since its next answer might be that of another message.
func (c *child) leaves() bool {
	select {
	case <-c.received:
		return true
	default:
		return false
	}
}

// dismiss ends an idle child by a Goodbye and kills any other one.
func (c *child) dismiss() { c.part()() }

// part has an idle child leave by a Goodbye, and kills any other one. What it returns waits for the end of the process.
func (c *child) part() (wait func()) {
	if c.state == idle {
		go c.conn.Send(&wire.Goodbye{})
		timeout := time.After(c.process.exitTimeout())
	wait:
		for {
			select {
			case r := <-c.received:
				if r.message == nil {
					break wait
				}
			case <-timeout:
				break wait
			}
		}
	}
	if c.state == gone {
		return func() {}
	}
	c.process.Kill()
	return c.reaping()
}

// end kills the child and waits for its end.
func (c *child) end() {
	if c.state != gone {
		c.process.Kill()
		c.reap()
	}
}

// reap waits for the end of a child that has ended or is about to. It discards the child's remaining messages.
func (c *child) reap() {
	if c.state != gone {
		c.reaping()()
	}
}

// reaping takes note that a child is gone. What it returns waits for the end of the process, whose exit is known then.
func (c *child) reaping() (wait func()) {
	c.state = gone
	go func() {
		for range c.received {
		}
	}()
	return func() {
		killer := time.AfterFunc(c.process.exitTimeout(), c.process.Kill) // it may go on without descriptors
		defer killer.Stop()
		c.exit = c.process.Wait()
	}
}

// isClosedPipe reports whether a send failed because the reader closed the pipe.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// quote formats the last lines that a process wrote, for an error.
func quote(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "; it wrote:\n  " + strings.Join(lines, "\n  ")
}
