package executors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

const (
	startAttempts = 5                     // failed starts in a row that end the run
	startBackOff  = 20 * time.Millisecond // after the first failed start, doubled each time
	// oomSlack is how many bytes of the memory limit an executor may use that are not resident: its own heap and
	// stacks.
	oomSlack = 224 << 20
)

// Supervisor keeps one executor running: it starts one if there is none and replaces one that died. Deaths count for
// invocations and need no limit, since an invocation is tried at most twice. Failed starts are retried with back-off,
// up to a limit.
type Supervisor struct {
	Starter  Starter
	Build    string    // of zonemark, for the handshake
	Words    Words     // of remedies; may be nil
	Tools    bool      // its executors let tools make the calls, and tell how these have ended
	Exchange *Exchange // that executors which execute must have; nil: none
	// Supervised says that executors which execute are supervised, see Allowance.
	Supervised bool

	// What it has found out:
	Starts   int    // executors that started
	Phase    string // last phase that the executor reported, in the last Execute
	Counters string // counters of the last executor that answered, or why it has none

	current *child
	ahead   chan startedAhead // receives the next executor, which is being started; may be nil
	leaving sync.WaitGroup    // of executors that have left, until the system has freed what they had
}

// startedAhead is an executor that was started ahead, or the error of starting it.
type startedAhead struct {
	child *child
	err   error
}

// Renew ends the executor unless it is fresh, so that the next message goes to a fresh one. The system takes some
// milliseconds to free what an executor had: the next one need not wait for that, unless it may need the same.
func (s *Supervisor) Renew() {
	c := s.current
	if c == nil || !c.asked {
		return
	}
	if wait := c.part(); c.allowed.keepsToItself() {
		s.leaving.Go(wait)
	} else {
		wait()
	}
}

// StartAhead begins to start the next executor, so that it is ready when the current one has answered. It will serve an
// invocation with these limits.
func (s *Supervisor) StartAhead(ctx context.Context, allowed Allowance) {
	if s.ahead != nil {
		return
	}
	ahead := make(chan startedAhead, 1)
	s.ahead = ahead
	go func() {
		c, err := startChild(ctx, s.Starter, s.Build, allowed)
		ahead <- startedAhead{c, err}
	}()
}

// takeAhead returns the executor that was started ahead. It returns nil if there is none, it did not start, it has
// ended since, or it was started with other limits.
func (s *Supervisor) takeAhead(allowed Allowance) *child {
	if s.ahead == nil {
		return nil
	}
	c := (<-s.ahead).child
	s.ahead = nil
	if c != nil && (c.allowed != allowed || c.leaves()) {
		c.dismiss()
		return nil
	}
	return c
}

// Ready starts an executor with these limits, unless one is waiting for something to do.
func (s *Supervisor) Ready(ctx context.Context, allowed Allowance) error {
	_, err := s.idle(ctx, allowed)
	return err
}

// idle returns an idle child that was started with these limits.
func (s *Supervisor) idle(ctx context.Context, allowed Allowance) (*child, error) {
	if s.current != nil && s.current.state == idle && (s.current.allowed != allowed || s.current.leaves()) {
		s.current.dismiss()
	}
	if s.current != nil && s.current.state == idle {
		return s.current, nil
	}
	if c := s.takeAhead(allowed); c != nil {
		s.current, c.words = c, s.Words
		s.Starts++
		return c, nil
	}
	c, err := s.start(ctx, allowed)
	if err != nil {
		return nil, err
	}
	s.current, c.words = c, s.Words
	s.Starts++
	return c, nil
}

// start starts an executor and retries failed starts.
func (s *Supervisor) start(ctx context.Context, allowed Allowance) (c *child, err error) {
	for attempt, pause := 0, startBackOff; attempt < startAttempts; attempt, pause = attempt+1, 2*pause {
		if c, err = startChild(ctx, s.Starter, s.Build, allowed); err == nil {
			return c, nil
		}
		if errors.Is(err, ErrHostLost) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil, err
}

// Close ends the executor, and one that was started ahead.
func (s *Supervisor) Close() {
	if s.ahead != nil {
		if c := (<-s.ahead).child; c != nil {
			c.dismiss()
		}
		s.ahead = nil
	}
	if s.current != nil {
		s.current.dismiss()
	}
	s.leaving.Wait()
}

// Ask asks an executor for something else than an invocation, and starts one if needed.
func (s *Supervisor) Ask(ctx context.Context, m wire.Message, id string, timeout time.Duration) (wire.Message, error) {
	c, reply, err := s.converse(ctx, m, id, timeout, Allowance{})
	if errors.Is(err, ErrTimeout) {
		err = fmt.Errorf("%w: %v; --timeout allows more", err, timeout)
	}
	if err != nil && c != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w%s", err, quote(c.exit.Stderr))
	}
	return reply, err
}

// Stopped says for how long a signal had stopped the executor that was asked last, since it was asked; "" if none had.
func (s *Supervisor) Stopped() string {
	if s.current == nil {
		return ""
	}
	return s.current.stoppedText()
}

// Environment returns what the executor that was asked last says of its machine; nil if none was.
func (s *Supervisor) Environment() map[string]string {
	if s.current == nil || s.current.hello == nil {
		return nil
	}
	return s.current.hello.Environment
}

// converse asks an executor, and another one if the first left before it read the message. It returns the child that
// answered or was asked last; nil if none started.
func (s *Supervisor) converse(
	ctx context.Context, m wire.Message, id string, timeout time.Duration, allowed Allowance,
) (c *child, reply wire.Message, err error) {
	for range startAttempts {
		if c, err = s.idle(ctx, allowed); err != nil {
			return nil, nil, err
		}
		c.asked = true
		m := m
		if e, ok := m.(*wire.Execute); ok && c.process.Move != nil {
			moved := *e
			c.process.Move(&moved.Invocation)
			m = &moved
		}
		if reply, err = c.ask(ctx, m, id, timeout); !errors.Is(err, errLeft) {
			break
		}
	}
	return c, reply, err
}

// try has an executor execute an invocation. A fresh one tries once more if an executor dies that has executed others
// before, since what they left behind may be the reason, or if it is killed for what it takes before native code began.
// retried then says so, for people.
func (s *Supervisor) try(
	ctx context.Context, m *wire.Execute,
) (c *child, reply wire.Message, retried string, err error) {
	id, timeout := m.Invocation.ID, time.Duration(m.Invocation.Limits.TimeoutNS)
	for {
		c, reply, err = s.converse(ctx, m, id, timeout, s.Allowed(&m.Invocation))
		if c == nil || ctx.Err() != nil {
			return c, reply, retried, err
		}
		if c.exit.Lost != "" {
			return c, nil, retried, &lostError{c.exit.Lost}
		}
		c.shared = c.shared || c.served != "" && c.served != id
		c.served = cmp.Or(c.served, id)
		why := ""
		switch result, answered := reply.(*wire.Result); {
		case errors.Is(err, ErrTimeout): // a late answer would be late again, at the same cost
		case err != nil && c.phase == "" && c.exit.Exceeded.Limit != "":
			why = "an executor was killed for its " + string(c.exit.Exceeded.Limit) + " before native code began"
		case !c.shared, err != nil && c.exit.Exceeded.Own:
		case err != nil && c.exit.Signal != "":
			why = "an executor that others had used before died by " + c.exit.Signal
		case err != nil:
			why = "an executor that others had used before died"
		case answered && result.Status == invocations.OutOfMemory:
			why = "an executor that others had used before had no memory left"
			c.dismiss()
		}
		if why == "" || retried != "" {
			return c, reply, retried, err
		}
		retried = why + "; this is the result of a fresh one"
	}
}

// Allowed returns what an executor may take while it serves an invocation.
func (s *Supervisor) Allowed(inv *invocations.Invocation) Allowance {
	allowed := AllowanceOf(inv)
	allowed.Exchange, allowed.Supervised = s.Exchange, s.Supervised
	return allowed
}

// unchecked does what Execute does, and believes every answer.
func (s *Supervisor) unchecked(ctx context.Context, m *wire.Execute, lacks string) (invocations.Result, error) {
	c, reply, retried, err := s.try(ctx, m)
	if ctx.Err() != nil {
		return invocations.Result{}, ctx.Err()
	}
	if c == nil || errors.Is(err, ErrHostLost) {
		return invocations.Result{}, err
	}
	s.Phase = c.phase
	if err != nil {
		r := deathResult(c, m, lacks, err)
		r.Number = m.Number
		c.tellSandbox(&r)
		return r, nil
	}
	r := reply.(*wire.Result).Result // see answers
	c.tellSandbox(&r)
	if retried != "" {
		r.Notes = append(r.Notes, retried)
	}
	if text := c.stoppedText(); text != "" {
		r.Notes = append(r.Notes, "while it was measured, "+text)
	}
	s.Counters = c.hello.Environment["counters"]
	return r, nil
}

// tellSandbox writes into a result what has confined the child.
func (c *child) tellSandbox(r *invocations.Result) {
	r.Layers, r.SandboxProfile, r.SandboxAllowed = c.hello.Layers, c.hello.Profile, c.hello.Allowed
}

// addLastWords adds what drivers and plugins have printed to the error of one that failed: their errors often say less.
// The child ends, since what it has printed is known only then.
func (c *child) addLastWords(r *invocations.Result) {
	if r.Status != invocations.Failed || !c.allowed.PrintsErrors {
		return
	}
	c.dismiss()
	r.Error = cleanText(r.Error + quote(c.exit.Stderr))
}

// deathResult returns the result of an invocation during which the executor ended or was killed.
func deathResult(c *child, m *wire.Execute, lacks string, why error) invocations.Result {
	inv, exit := &m.Invocation, c.exit
	crash := &invocations.Crash{Signal: exit.Signal, ExitCode: exit.Code, Phase: c.phase, Stderr: exit.Stderr}
	r := invocations.Result{ID: inv.ID, Merged: 1, Calling: invocations.Calling{Mode: inv.Measure.Mode},
		Status: invocations.Crashed, Crash: crash}
	doing := "before it began"
	if c.phase != "" {
		doing = "in phase " + c.phase
	}
	switch {
	case errors.Is(why, ErrTimeout):
		r.Status = invocations.Timeout
		r.Error = fmt.Sprintf("no result within %v; killed %s", time.Duration(inv.Limits.TimeoutNS), doing)
		if text := c.stoppedText(); text != "" {
			r.Error += "; " + text + " of that time"
		}
	case exit.Exceeded.Limit == LimitThreads, exit.Exceeded.Limit == LimitGroup, exit.Exceeded.Limit == LimitLoan:
		r.Error = exit.Exceeded.Tell(doing)
	case exit.Exceeded.Limit == LimitMemory, exit.Exceeded.Limit == LimitKernel:
		r.Status = invocations.OutOfMemory
		r.Error = exit.Exceeded.Tell(doing)
	case !errors.Is(why, errEnded):
		r.Error = why.Error()
	case exit.Signal == "SIGILL" && lacks != "":
		r.Status = invocations.Skipped
		r.Error = fmt.Sprintf("stopped at an instruction that this CPU does not have; the artifact asks for %s", lacks)
	case ranOutOfMemory(exit, inv.Limits.MemoryBytes):
		r.Status = invocations.OutOfMemory
		r.Error = fmt.Sprintf("memory ran out %s: %d MiB were in use", doing, exit.MaxRSSBytes>>20)
		if limit := inv.Limits.MemoryBytes; limit > 0 {
			r.Error += fmt.Sprintf(" of %d MiB allowed", limit>>20)
		}
	case !c.entered && c.ownFault() != "":
		r.Status, r.Crash = invocations.Failed, nil
		r.Error = fmt.Sprintf("zonemark's own code has failed, not the artifact: %s; please report it, with this text",
			c.ownFault())
	case exit.Signal != "":
		r.Error = fmt.Sprintf("native code ended the executor by %s %s", exit.Signal, doing)
	case exit.Code == ExitCannotReply,
		exit.Code == exitGoFault && (len(exit.Stderr) == 0 || goFault(exit.Stderr) == pollFault):
		r.Error = "native code closed the executor's descriptors " + doing
	case exit.Code == exitGoFault:
		r.Error = fmt.Sprintf("the executor itself failed %s: %s", doing, goFault(exit.Stderr))
	default:
		r.Error = fmt.Sprintf("native code ended the executor by exit(%d) %s", exit.Code, doing)
		if n := len(exit.Stderr); n > 0 { // code that calls exit usually writes the reason
			r.Error += ": " + exit.Stderr[n-1]
		}
	}
	if c.entered {
		r.Error += suspects(inv, &r)
	}
	return r
}

// ownFault returns by what a process has ended that had run no native code; "" if others may have ended it.
func (c *child) ownFault() string {
	switch c.exit.Signal {
	case "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT": // confined executors have no handlers of Go's
		return c.exit.Signal
	}
	if c.exit.Signal == "" && c.exit.Code == exitGoFault && len(c.exit.Stderr) > 0 {
		return goFault(c.exit.Stderr)
	}
	return ""
}

// goFault returns the line in which Go's runtime says why it ends the program, or the first one of the last lines.
func goFault(stderr []string) string {
	for _, line := range stderr {
		if isGoFault(line) {
			return line
		}
	}
	return stderr[0]
}

// ExitCannotReply is the exit code of an executor that cannot send its answer because its descriptor is closed.
const ExitCannotReply = 91

// exitGoFault is the exit code of a Go program after a fatal error of its runtime, which writes the reason to standard
// error unless that is closed.
const exitGoFault = 2

// pollFault is what Go's runtime says if somebody has closed the descriptor by which it waits for others.
const pollFault = "fatal error: runtime: netpoll failed"

// ranOutOfMemory reports whether a process ended because memory ran out. The signs are a resident size near the limit,
// messages of the Go runtime or libstdc++, and a SIGKILL that we did not send to a process of at least a GiB. Signals that
// have causes of their own tell of those: with a low limit, an executor's own memory is near it.
func ranOutOfMemory(exit Exit, limit int64) bool {
	switch exit.Signal {
	case "SIGXFSZ", "SIGXCPU", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS":
		return false
	}
	if limit > 0 && exit.MaxRSSBytes >= limit-oomSlack {
		return true
	}
	if exit.Signal == "SIGKILL" && exit.MaxRSSBytes >= 1<<30 {
		return true
	}
	for _, line := range exit.Stderr {
		if strings.Contains(line, "fatal error: runtime: out of memory") ||
			strings.Contains(line, "fatal error: runtime: cannot allocate memory") ||
			strings.Contains(line, "std::bad_alloc") {
			return true
		}
	}
	return false
}
