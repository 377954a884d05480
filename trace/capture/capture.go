// Package capture records Tracy captures: it starts the capture tool of a Tracy release, lets it connect to a client,
// watches its limits, and judges the file that it leaves. It knows nothing of what is in a capture.
package capture

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

const (
	loopback = "127.0.0.1"
	// defaultGrace is how long one side may go on after the other has ended. A capture of ten million zones is written
	// in about six seconds.
	defaultGrace = 30 * time.Second
	watchEvery   = 100 * time.Millisecond
	// connectDelay is more than a tool takes to say that it has connected; it looks ten times a second.
	connectDelay = 2 * time.Second
)

// Options say how a client is to be captured. Only Output is needed.
type Options struct {
	Tool     string   // path or name of the capture tool; empty: see FindTool
	Variable string   // value of the variable ToolVariable; empty: it is not set
	Sites    []string // site-packages folders in which a Tracy-enabled wheel may lie
	Output   string   // the capture's path; a file that is there is replaced when the capture is there
	Port     int      // of the client on the loopback interface; 0: a free one

	MaxDuration time.Duration // of the capture, from its start; 0: no limit
	// MaxBytes limits the memory of the capture tool, which holds all of a capture until it ends; the file is about a
	// tenth of that. 0: no limit. It is watched on Linux; elsewhere a warning says that it is not.
	MaxBytes int64
	Grace    time.Duration // that one side has to end after the other one; 0: 30 s
	// Configure sets attributes of the tool's process, such as what becomes of it when this one dies; nil: none. The
	// process is then started by the thread that called Start.
	Configure func(*exec.Cmd)
}

// Unfinished returns where the capture of an output is written until it is there. If everything is killed while the tool
// writes, this file is left. The next capture of that output replaces it.
func Unfinished(output string) string { return output + ".part" }

// Result is what a capture left.
type Result struct {
	Path  string
	Bytes int64
	// something is missing: a limit was reached, one side had to be stopped, or Tracy gave the capture up
	Partial  bool
	Warnings []string // what the tool, or the watchdog, had to say
}

// Session is a running capture tool, which waits for its client and ends after it.
type Session struct {
	options Options
	tool    string
	port    int
	command *exec.Cmd
	output  *toolOutput

	done     chan struct{} // closed when the tool has ended and exit and mismatch are set
	exit     error
	mismatch *ProtocolError
	ended    chan struct{} // closed by ClientEnded
	endOnce  sync.Once
	watched  chan struct{} // closed when the watchdog has ended
	noRoom   func(path string) error
	warnings []string // of the watchdog; read after watched is closed
	partial  bool     // likewise
}

// Start starts a capture tool that connects to a client on a port of the loopback interface, before or after the client
// starts. The client gets Environment; the caller then calls Wait, or leaves both to Run. Cancelling ctx ends the
// capture as a limit does.
func Start(ctx context.Context, o Options) (*Session, error) {
	switch {
	case o.Output == "":
		return nil, errors.New("tracy capture: no output file is given")
	case o.Port < 0 || o.Port > 65535:
		return nil, fmt.Errorf("tracy capture: port %d: give 1 to 65535, or 0 for a free one", o.Port)
	case o.MaxBytes < 0 || o.MaxDuration < 0 || o.Grace < 0:
		return nil, errors.New("tracy capture: a limit is negative: give 0 for none")
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	tool, err := FindTool(o.Tool, o.Variable, o.Sites...)
	if err != nil {
		return nil, err
	}
	// What an earlier capture left must not pass for the result of this one.
	if err := os.Remove(Unfinished(o.Output)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("tracy capture: replace the output: %w", err)
	}
	c := &Session{options: o, tool: tool, port: o.Port, output: &toolOutput{}, done: make(chan struct{}),
		ended: make(chan struct{}), watched: make(chan struct{}), noRoom: noRoom}
	if c.port == 0 {
		if c.port, err = freePort(ctx); err != nil {
			return nil, err
		}
	}
	c.command = exec.Command(tool, "-f", "-o", Unfinished(o.Output), "-a", loopback, "-p", strconv.Itoa(c.port))
	c.command.Stdout, c.command.Stderr = c.output, c.output
	c.command.WaitDelay = time.Second // for children of the tool that keep its output open
	if err := c.start(c.command); err != nil {
		return nil, err
	}
	go func() {
		c.exit = c.command.Wait()
		if said := c.output.incompatibility(); said != "" {
			c.mismatch = c.protocolError(said) // at once: the client can be asked as long as it runs
		}
		close(c.done)
	}()
	go c.watch(ctx)
	return c, nil
}

// start starts a process of the tool.
func (c *Session) start(command *exec.Cmd) error {
	if c.options.Configure != nil {
		c.options.Configure(command)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("tracy capture: start %s: %w", c.tool, err)
	}
	return nil
}

// freePort is a port that nobody listens on at the moment.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", loopback+":0")
	if err != nil {
		return 0, fmt.Errorf("tracy capture: no free port on the loopback interface: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return 0, fmt.Errorf("tracy capture: free port: %w", err)
	}
	return port, nil
}

// Port is the one on which the client must listen.
func (c *Session) Port() int { return c.port }

// Environment is what the client needs in its environment, as NAME=value: the port; to listen on the loopback interface
// only, in IPv4, where the tool connects; to stay until the capture has everything; and no system-wide tracing or
// sampling, which costs time and makes captures sixty times larger. What no variable of Tracy 0.11.2 prevents is that
// the client announces itself by UDP broadcast; only a network namespace of its own keeps that in.
func (c *Session) Environment() []string {
	return []string{
		"TRACY_PORT=" + strconv.Itoa(c.port),
		"TRACY_ONLY_LOCALHOST=1",
		"TRACY_ONLY_IPV4=1",
		"TRACY_NO_EXIT=1",
		"TRACY_NO_SYS_TRACE=1",
	}
}

// Done is closed when the capture tool has ended. A client that still runs then will wait for ever if it has
// TRACY_NO_EXIT.
func (c *Session) Done() <-chan struct{} { return c.done }

// Connected reports whether the tool has found its client, as far as its output tells.
func (c *Session) Connected() bool { return !c.output.onlyConnecting() }

// ClientEnded tells the watchdog that the client is gone: from then on the tool has Grace to write its file. Further
// calls do nothing.
func (c *Session) ClientEnded() { c.endOnce.Do(func() { close(c.ended) }) }

// Wait waits for the capture tool to end, which it does after its client, and judges what it left. The error is for a
// capture that is not there: the protocols of the two sides differ (a *ProtocolError), no client came, the tool failed.
// A file with gaps is a result with Partial set.
func (c *Session) Wait() (Result, error) {
	<-c.done
	<-c.watched
	result := Result{Path: c.options.Output, Partial: c.partial, Warnings: c.warnings}
	if c.mismatch != nil {
		return result, c.mismatch
	}
	if failures := c.output.failures(); len(failures) > 0 {
		result.Partial = true
		result.Warnings = append(result.Warnings, failures...)
	}
	info, err := os.Stat(Unfinished(result.Path))
	if err != nil || info.Size() == 0 {
		if full := c.noRoom(result.Path); full != nil {
			_ = os.Remove(Unfinished(result.Path)) // it may not be there
			return result, &NoRoomError{result.Path, full}
		}
		return result, c.noFile(result.Warnings)
	}
	if isTorn(Unfinished(result.Path)) {
		if full := c.noRoom(result.Path); full != nil {
			_ = os.Remove(Unfinished(result.Path)) // it takes the room that is missing
			return result, &NoRoomError{result.Path, full}
		}
		result.Partial = true
		result.Warnings = append(result.Warnings, "the capture was cut while it was written")
	}
	if err := os.Rename(Unfinished(result.Path), result.Path); err != nil {
		return result, fmt.Errorf("tracy capture: %w", err)
	}
	result.Bytes = info.Size()
	if c.exit != nil {
		result.Partial = true
		result.Warnings = append(result.Warnings, fmt.Sprintf("%s ended with %v", c.tool, c.exit))
	}
	return result, nil
}

// noFile says why there is no capture.
func (c *Session) noFile(warnings []string) error {
	reason := fmt.Errorf("the tool left no file %s", c.options.Output)
	if c.exit != nil {
		reason = fmt.Errorf("%w: %w", reason, c.exit)
	}
	for _, w := range warnings {
		reason = fmt.Errorf("%w; %s", reason, w)
	}
	if tail := c.output.tail(); tail != "" {
		reason = fmt.Errorf("%w; it said: %s", reason, tail)
	}
	return fmt.Errorf("tracy capture with %s on port %d: %w; see that the client is a Tracy build, got "+
		"Capture.Environment, and ran until the capture had connected", c.tool, c.port, reason)
}
