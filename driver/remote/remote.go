// Package remote runs executors on other hosts, over any command that runs a shell there: "ssh HOST", "srun -u -N1 -w
// NODE", "docker exec -i NAME". Dial starts the command, brings this program to the other side if it is not there, and
// starts it as a host. A Session is the conversation with that host: it brings files, and starts executors, whose bytes
// share the connection. Server is the host's side of it.
//
// Every executor ends with the session, on both sides. The package does not know what executors do, and measures
// nothing.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/wire"
)

// Session is a conversation with a host. It is a executors.Starter by its method Starter. Several goroutines may use it.
type Session struct {
	Via         string            // the command, for people
	Name        string            // of the host
	Folder      string            // in which offered files get their places
	Environment map[string]string // fingerprint of the host

	conn  *line
	pulse *pulse
	cmd   *exec.Cmd
	pipes *pipes          // to and from the command
	said  *executors.Tail // what the command writes to standard error

	files  sync.Mutex  // held while files are offered
	asked  atomic.Bool // Needs are to come
	needs  chan *wire.Needs
	ended  chan struct{} // closed when the session has ended, after lost is set
	lost   error
	finish sync.Once
	left   atomic.Bool // Close was called

	mu      sync.Mutex
	streams map[int64]*stream
	next    int64

	killPatience time.Duration
}

// LostError tells that the connection to a host has ended, or could not be made.
type LostError struct {
	Via   string   // the command
	Name  string   // of the host; empty if it was never reached
	Why   string   // a sentence
	Lines []string // last words of the command
}

func (e *LostError) Error() string {
	text := fmt.Sprintf("--via %s: %s", Quoted(e.Via), e.Why)
	if e.Name != "" {
		text = fmt.Sprintf("host %s (--via %s): %s", e.Name, Quoted(e.Via), e.Why)
	}
	if len(e.Lines) > 0 {
		text += "; it wrote:\n  " + strings.Join(e.Lines, "\n  ")
	}
	return text
}

// Is reports whether target is executors.ErrHostLost.
func (e *LostError) Is(target error) bool { return target == executors.ErrHostLost }

// Quoted returns a command as the value of --via in a shell.
func Quoted(via string) string { return shellwords.Line(via) }

// Starter returns a starter of executors of a role. Their invocations get the paths that move gives them; move may be
// nil.
func (s *Session) Starter(
	role string, settings wire.ExecutorSettings, move func(*invocations.Invocation),
) executors.Starter {
	return &starter{s, role, settings, move}
}

type starter struct {
	session  *Session
	role     string
	settings wire.ExecutorSettings
	move     func(*invocations.Invocation)
}

// Start starts an executor on the host. What keeps it from starting is told at its end.
func (s *starter) Start(allowed executors.Allowance) (*executors.Process, error) {
	st := s.session.newStream()
	exchange, exchangeBytes := allowed.Exchange.Named()
	err := s.session.conn.Send(&wire.Start{
		Stream: st.number, Role: s.role, MemoryBytes: allowed.MemoryBytes, Threads: allowed.Threads, Settings: s.settings,
		PrintsErrors: allowed.PrintsErrors, Profile: allowed.Profile, Allow: allowed.Paths(),
		Devices: allowed.DevicePatterns(), Exchange: exchange, ExchangeBytes: exchangeBytes,
		Supervised: allowed.Supervised,
	})
	if err != nil {
		return nil, s.session.lostBy(err)
	}
	return &executors.Process{
		To: sending{st}, From: st, Kill: st.kill, Wait: st.wait, DiscardOutput: st.discard, Stopped: st.stoppedTime,
		Starved: st.hasStarved, BeginWork: st.beginWork, WorkedNS: st.workedNS, Move: s.move,
	}, nil
}

func (s *Session) newStream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	st := &stream{session: s, number: s.next, began: time.Now(), exited: make(chan struct{})}
	st.arrived = sync.NewCond(&st.mu)
	s.streams[st.number] = st
	select {
	case <-s.ended:
		st.end()
	default:
	}
	return st
}

func (s *Session) stream(number int64) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[number]
}

// Lost returns why the session has ended, nil while it has not.
func (s *Session) Lost() error {
	select {
	case <-s.ended:
		return s.lost
	default:
		return nil
	}
}

// lostBy returns why the session has ended after an error of sending.
func (s *Session) lostBy(err error) error {
	s.fail(err.Error())
	<-s.ended
	return s.lost
}

// receive passes on what the host sends until the connection ends.
func (s *Session) receive() {
	for {
		m, err := s.conn.Receive()
		if err != nil {
			s.fail(ending(err))
			return
		}
		s.pulse.heard(m)
		if err := s.take(m); err != nil {
			s.fail(err.Error())
			return
		}
	}
}

// take passes a message on. A host may be under the control of somebody else, or of what its executors have run: it is
// believed only what it was asked for. The error says why the session ends.
func (s *Session) take(m wire.Message) error {
	switch m := m.(type) {
	case *wire.Tick:
		return nil
	case *wire.Data:
		if st := s.stream(m.Stream); st != nil {
			return st.take(m)
		}
	case *wire.Ended:
		if st := s.stream(m.Stream); st != nil {
			if err := checkEnded(m); err != nil {
				return err
			}
			st.ended(m)
			s.mu.Lock()
			delete(s.streams, m.Stream)
			s.mu.Unlock()
			return nil
		}
	case *wire.Needs:
		if s.asked.CompareAndSwap(true, false) {
			s.needs <- m // there is room for one
			return nil
		}
	case *wire.Goodbye:
		return errors.New(cmp.Or(short(m.Reason), "it has left"))
	}
	return fmt.Errorf("it sent %s, which nobody asked for", strings.TrimPrefix(fmt.Sprintf("%T", m), "*wire."))
}

// ending says in plain words how a stream of messages has ended.
func ending(err error) string {
	var bad *wire.FrameError
	if errors.As(err, &bad) || errors.Is(err, wire.ErrFrameLength) {
		return err.Error()
	}
	return "the connection has ended"
}

// patience is how long the command may take to end by itself after its connection was closed.
const patience = 2 * time.Second

// fail ends the session once, for a reason.
func (s *Session) fail(why string) {
	s.finish.Do(func() { go s.end(why) })
}

// end ends the command and every stream.
func (s *Session) end(why string) {
	s.pulse.stop()
	_ = s.pipes.to.Close() // the command may have closed it
	how := s.waitForCommand()
	_ = s.pipes.from.Close() // nothing more is read
	lines := s.said.Last()
	if how != nil && !s.left.Load() {
		why += fmt.Sprintf(" (%s ended with %v)", s.cmd.Args[0], how)
	}
	s.lost = &LostError{Via: s.Via, Name: s.Name, Why: why, Lines: lines}
	close(s.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		st.end()
	}
}

// waitForCommand waits for the end of the command, whose input is closed. It asks a command that goes on to end, so that
// srun can withdraw a job that waits for a node, and then kills it.
func (s *Session) waitForCommand() error {
	exited := make(chan error, 1)
	go func() { exited <- s.cmd.Wait() }()
	for _, end := range []func() error{
		func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }, s.cmd.Process.Kill,
	} {
		select {
		case err := <-exited:
			return err
		case <-time.After(patience):
			_ = end() // it may have ended
		}
	}
	return <-exited
}

// Close ends the session, and with it its executors.
func (s *Session) Close() {
	s.left.Store(true)
	farewell := make(chan error, 1)
	go func() { farewell <- s.conn.Send(&wire.Goodbye{}) }() // in a goroutine, since a host that does not read blocks it
	select {
	case <-s.ended:
	case <-farewell:
		select {
		case <-s.ended: // the host has closed its side
		case <-time.After(patience):
		}
	case <-time.After(patience):
	}
	s.fail("it was closed")
	<-s.ended
}

// Watch ends the session when ctx does.
func (s *Session) Watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { s.fail("interrupted") })
}
