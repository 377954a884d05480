package hosting

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
)

const (
	// tracyPort is Tracy's default. In a private network it is always free.
	tracyPort = 8086
	// CaptureGrace is how long a capture tool may take to write its file, and the time that an executor may take to
	// send the rest of its zones after Goodbye.
	CaptureGrace = 30 * time.Second
)

// The limits of captures for which nobody has given others.
const (
	MostCaptureBytes = 4 << 30 // of the capture tool's memory
	LongestCapture   = 30 * time.Minute
)

// CaptureOptions are the options for capturing executors. Only Output is needed.
type CaptureOptions struct {
	Tool        string        // capture tool; if it is empty, Sites and the path are searched
	Sites       []string      // site-packages folders in which a Tracy-enabled wheel may lie
	Output      string        // path of the first capture; those of further executors get -2, -3, … before the extension
	MaxBytes    int64         // limit of the capture tool's memory; 0: none
	MaxDuration time.Duration // of each capture; 0: no limit
	Environment []string      // NAME=value, further variables of the executor
}

// flags returns the flags that tell a trace host of a capture. notPrivate is why it has no network of its own.
func (c *CaptureOptions) flags(port int, grace time.Duration, notPrivate string) []string {
	flags := []string{
		"--capture-output=" + c.Output, "--capture-tool=" + c.Tool, fmt.Sprintf("--capture-port=%d", port),
		fmt.Sprintf("--capture-max-bytes=%d", c.MaxBytes), fmt.Sprintf("--capture-max-duration=%v", c.MaxDuration),
		fmt.Sprintf("--capture-grace=%v", grace), "--not-private=" + notPrivate,
	}
	for _, site := range c.Sites {
		flags = append(flags, "--capture-site="+site)
	}
	return flags
}

// Tracer starts measuring executors with a capture, each in a trace host of its own. It is a executors.Starter.
type Tracer struct {
	options    Options
	capture    CaptureOptions
	support    sandbox.Support // of the machine, for trace hosts
	notPrivate string          // why they have no network of their own; empty if they have one
	port       int             // of clients; 0: a free one for each
	grace      time.Duration
	local      *executors.Local

	mu       sync.Mutex
	starting *exec.Cmd  // the host that is being started
	report   *os.File   // its descriptor 5
	captures []*Capture // in order of starting; nil if the host has not been waited for
}

// NewTracer returns a starter of captured executors. The hosts have private networks unless the machine allows none, or
// the sandbox is off. The captures then say so.
func NewTracer(o Options, c CaptureOptions) *Tracer {
	support := sandbox.Support{} // without any support
	if o.Sandbox != sandbox.Off {
		support = sandbox.Probe()
	}
	return newTracerOn(support, o, c)
}

// newTracerOn does what NewTracer does, on a machine with the given support.
func newTracerOn(support sandbox.Support, o Options, c CaptureOptions) *Tracer {
	o.MemoryBytes, o.Variables = o.memoryBytes(), o.ofNativeCode()
	t := &Tracer{options: o, capture: c, support: support, port: tracyPort, grace: CaptureGrace}
	if !support.Has(sandbox.LayerNet) {
		t.port, t.notPrivate = 0, whyNotPrivate(o.Sandbox, support)
	}
	t.local = executors.NewLocal(threads{}, t.command)
	t.local.WatchBy(watchFamily)
	return t
}

func whyNotPrivate(mode sandbox.Mode, s sandbox.Support) string {
	if mode == sandbox.Off {
		return "there are no network namespaces with --sandbox=off"
	}
	return fmt.Sprintf("this machine allows no network namespaces (%s)", s.Missing[sandbox.LayerNet])
}

// Start starts a trace host with its executor. To a driver, the process looks like the executor: it has the executor's
// protocol, output and end.
func (t *Tracer) Start(allowed executors.Allowance) (*executors.Process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe from the trace host: %w", err)
	}
	t.report = write
	p, err := t.local.Start(allowed)
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	position := len(t.captures)
	h := &hostedProcess{
		Process: p, host: t.starting.Process, grace: t.grace, report: read, result: make(chan Capture, 1),
		ended: func(c *Capture) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.captures[position] = c
		},
	}
	go h.read(t.output(position))
	t.captures = append(t.captures, nil)
	return &executors.Process{
		To: p.To, From: p.From, Kill: h.kill, Wait: h.wait, DiscardOutput: p.DiscardOutput, Stopped: p.Stopped,
		ExitTimeout: t.grace,
	}, nil
}

// Captures returns the outcomes of the captures of all executors that were waited for, in the order in which they were
// started.
func (t *Tracer) Captures() []Capture {
	t.mu.Lock()
	defer t.mu.Unlock()
	var results []Capture
	for _, r := range t.captures {
		if r != nil {
			results = append(results, *r)
		}
	}
	return results
}

// Close ends every trace host that still runs, and with it its executor.
func (t *Tracer) Close() { t.local.Close() }

// command returns the command of the next trace host. Its caller, Start, holds the lock.
func (t *Tracer) command(allowed executors.Allowance) (*exec.Cmd, error) {
	c, o := t.capture, t.options.allowing(allowed)
	c.Output = t.output(len(t.captures))
	flags := append(c.flags(t.port, t.grace, t.notPrivate), "--scratch="+o.Scratch)
	flags = append(flags, o.confinementFlags()...)
	cmd, err := o.process(roleTrace, o.MemoryBytes, flags...)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, c.Environment...)
	cmd.ExtraFiles = []*os.File{t.report}
	t.starting = cmd
	return cmd, sandbox.ConfigureNetwork(cmd, t.support)
}

// output returns the path of the n-th capture, from 0.
func (t *Tracer) output(n int) string { return NumberedCapture(t.capture.Output, n) }

// NumberedCapture returns the path of the n-th capture of a pass, from 0, whose first one has the path output.
func NumberedCapture(output string, n int) string {
	if n == 0 {
		return output
	}
	extension := filepath.Ext(output)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), n+1, extension)
}
