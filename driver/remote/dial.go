package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/wire"
)

// Options say how a host is reached. All but Variables and Say are needed.
type Options struct {
	Via       string   // the command that runs a shell there, see Words
	Variables []string // of the command, NAME=VALUE
	Build     string   // of this zonemark
	Program   *Program
	Verb      string                           // with which the program becomes a host, in plain words
	Say       func(format string, args ...any) // what takes long; may be nil
}

const (
	// connectTime is how long a host may take to say its first word, and each further one.
	connectTime = time.Minute
	// sayAfter is how long connecting takes before people are told what is waited for.
	sayAfter = 3 * time.Second
)

// Dial runs the command, brings the program to the other side if it is not there, and starts it as a host. The error is
// a *LostError if the host could not be reached.
func Dial(ctx context.Context, o Options) (*Session, error) {
	s, err := start(o)
	if err != nil {
		return nil, err
	}
	stop := s.Watch(ctx)
	defer stop()
	timer := s.connecting(o)
	defer timer.stop()
	if err := s.greet(o, timer); err != nil {
		return nil, s.unanswered(ctx, err)
	}
	go s.receive()
	go s.pulse.run(s.conn.Conn)
	return s, nil
}

// start starts the command with a shell.
func start(o Options) (*Session, error) {
	words, err := Words(o.Via)
	if err != nil {
		return nil, fmt.Errorf("--via %s: %w", Quoted(o.Via), err)
	}
	s := &Session{
		Via: o.Via, said: &executors.Tail{}, needs: make(chan *wire.Needs, 1), ended: make(chan struct{}),
		streams: map[int64]*stream{}, killPatience: killPatience,
	}
	s.pulse = newPulse(func() { s.fail("nothing was heard from it for a minute") })
	return s, s.startCommand(words, o)
}

// unanswered ends the session, and returns why the other side gave no answer.
func (s *Session) unanswered(ctx context.Context, err error) error {
	why := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
		why = "it ended before it answered"
	}
	s.fail(why)
	<-s.ended
	return cmp.Or(ctx.Err(), s.lost)
}

// mostOutput is how many bytes Output reads.
const mostOutput = 1 << 20

// Output runs the program once on the other side, where it is brought if it is not there, with the words of Verb and
// nothing to read, and returns what it writes. The error is a *LostError if the host cannot be reached, or if the
// program does not end well.
func Output(ctx context.Context, o Options) ([]byte, error) {
	s, err := start(o)
	if err != nil {
		return nil, err
	}
	stop := s.Watch(ctx)
	defer stop()
	timer := s.connecting(o)
	defer timer.stop()
	in := bufio.NewReader(s.pipes.from)
	if err := newShell(in, s.pipes.to, timer).install(o); err != nil {
		return nil, s.unanswered(ctx, err)
	}
	timer.stop()
	_ = s.pipes.to.Close() // the program may have ended
	out, err := io.ReadAll(io.LimitReader(in, mostOutput+1))
	switch {
	case err != nil:
		s.fail(err.Error())
	case len(out) > mostOutput:
		s.fail("its answer is too long")
	default:
		s.fail("it did not end well")
	}
	<-s.ended
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil || len(out) > mostOutput || !s.cmd.ProcessState.Success() {
		return nil, s.lost
	}
	return out, nil
}

// connecting bounds how long a host may be silent.
type connecting struct{ limit, say *time.Timer }

// connecting begins to wait for the host.
func (s *Session) connecting(o Options) *connecting {
	c := &connecting{limit: time.AfterFunc(connectTime, func() { s.fail("it did not answer within a minute") })}
	if o.Say != nil {
		c.say = time.AfterFunc(sayAfter, func() { o.Say("waiting for --via %s", Quoted(o.Via)) })
	}
	return c
}

func (c *connecting) answered() { c.limit.Reset(connectTime) }

// pause lets a step take as long as it takes.
func (c *connecting) pause() { c.limit.Stop() }

func (c *connecting) stop() {
	c.limit.Stop()
	if c.say != nil {
		c.say.Stop()
	}
}

// pipes are this side's ends of the pipes to a command.
type pipes struct{ to, from *os.File }

// startCommand starts the command with a shell.
func (s *Session) startCommand(words []string, o Options) error {
	in, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe to a host: %w", err)
	}
	defer in.Close()
	from, out, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("pipe from a host: %w", err), to.Close())
	}
	defer out.Close()
	// The other side gets one plain word, which is the same whether a shell takes it apart, as ssh's does, or not, as
	// with srun. All else goes through the shell's input.
	s.cmd = exec.Command(words[0], append(words[1:], "sh")...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr, s.cmd.Env = in, out, s.said, o.Variables
	s.cmd.WaitDelay = patience
	if err := s.cmd.Start(); err != nil {
		to.Close()
		from.Close()
		return &LostError{Via: o.Via, Why: err.Error()}
	}
	s.pipes = &pipes{to, from}
	return nil
}

// greet brings the program to the other side and exchanges the first messages with it.
func (s *Session) greet(o Options, timer *connecting) error {
	in := bufio.NewReader(s.pipes.from)
	shell := newShell(in, s.pipes.to, timer)
	if err := shell.install(o); err != nil {
		return err
	}
	return s.meet(in, o.Build)
}

// meet exchanges the first messages with the program on the other side.
func (s *Session) meet(in io.Reader, build string) error {
	prompt := &prompting{r: in, soon: s.pulse.soon}
	s.conn = &line{wire.NewConn(prompt, s.pipes.to), s.pulse}
	hello, err := receiveAs[*wire.Hello](s.conn.Conn)
	if err != nil {
		return err
	}
	if err := hello.Check(); err != nil {
		return err
	}
	if hello.Build != build {
		return fmt.Errorf("it has zonemark %.100q, and this is %q: install the same zonemark on both ends", hello.Build, build)
	}
	host, err := receiveAs[*wire.Host](s.conn.Conn)
	if err != nil {
		return err
	}
	if err := checkHost(host, hello.Environment); err != nil {
		return err
	}
	s.Name, s.Folder, s.Environment = host.Name, host.Folder, hello.Environment
	return nil
}

// receiveAs receives a message of a kind.
func receiveAs[M wire.Message](c *wire.Conn) (M, error) {
	m, err := c.Receive()
	is, ok := m.(M)
	if err == nil && !ok {
		err = fmt.Errorf("it said %T, and %T was to come", m, is)
	}
	return is, err
}

// Words takes a command of --via apart as a shell does.
func Words(command string) ([]string, error) {
	words, err := shellwords.Split(command)
	if err == nil && len(words) == 0 {
		return nil, errors.New(`no command; name one that runs a shell on the other side, such as "ssh HOST"`)
	}
	return words, err
}
