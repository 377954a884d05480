package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"zonemark/driver"
	"zonemark/driver/environ"
	"zonemark/executor/sandbox"
)

const (
	// tracyPort is Tracy's default. In a private network it is always free.
	tracyPort = 8086
	// captureGrace is how long a capture tool may take to write its file, and an executor to send the rest of its zones after Goodbye.
	captureGrace = 30 * time.Second
	// hostResultBytes is the most that a trace host's document may hold; the output of a tool that is quoted in it is a few hundred KB at most.
	hostResultBytes = 4 << 20
)

// traceOptions say how executors are captured. Only Output is needed.
type traceOptions struct {
	Tool        string        // capture tool; empty: see trace.FindCaptureTool
	Sites       []string      // site-packages folders in which a Tracy-enabled wheel may lie
	Output      string        // of the first capture; those of further executors get -2, -3, … before the extension
	MaxBytes    int64         // limit of the capture tool's memory; 0: none
	MaxDuration time.Duration // of each capture; 0: no limit
	Environment []string      // NAME=value, further variables of the executor
}

// tracedStarter starts measuring executors that are captured, each by a trace host of its own. It is a driver.Starter.
type tracedStarter struct {
	options    traceOptions
	mode       sandbox.Mode
	scratch    string
	variables  environ.Variables
	memory     int64           // limit of each executor
	support    sandbox.Support // of the machine, for trace hosts
	notPrivate string          // why they have no network of their own; empty: they have
	port       int             // on which clients serve; 0: each on a free one
	grace      time.Duration
	local      *driver.Local

	mu       sync.Mutex
	starting *exec.Cmd     // the host that is being started
	report   *os.File      // its descriptor 5
	captures []*hostResult // by start; nil: has not been waited for
}

// newTracedStarter starts captured executors of this binary. scratch is the folder that they may write to. The hosts have private networks unless the
// machine allows none, or the sandbox is switched off; the results say so.
func newTracedStarter(f *measureFlags, v environ.Variables, scratch string, o traceOptions) *tracedStarter {
	support := sandbox.Support{} // offers nothing
	if f.sandbox != sandbox.Off {
		support = sandbox.Probe()
	}
	return newTracedStarterOn(support, f, v, scratch, o)
}

// newTracedStarterOn is newTracedStarter on a machine that offers what support says.
func newTracedStarterOn(support sandbox.Support, f *measureFlags, v environ.Variables, scratch string, o traceOptions) *tracedStarter {
	t := &tracedStarter{options: o, variables: v, mode: f.sandbox, scratch: scratch, memory: f.memoryBytes(), support: support, port: tracyPort, grace: captureGrace}
	if !support.Has(sandbox.LayerNet) {
		t.port, t.notPrivate = 0, whyNotPrivate(f.sandbox, support)
	}
	t.local = driver.NewLocal(t.command)
	return t
}

func whyNotPrivate(mode sandbox.Mode, s sandbox.Support) string {
	if mode == sandbox.Off {
		return "there are no network namespaces with --sandbox=off"
	}
	return fmt.Sprintf("this machine allows no network namespaces (%s)", s.Missing[sandbox.LayerNet])
}

// Start starts a trace host with its executor. The process is the executor's as far as a driver can tell: its protocol, its output, its end.
func (t *tracedStarter) Start() (*driver.Process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe from the trace host: %w", err)
	}
	t.report = write
	p, err := t.local.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	result := make(chan hostResult, 1)
	output := t.output(len(t.captures))
	go func() {
		defer read.Close()
		r, err := readHostResult(read)
		if err != nil {
			r = hostResult{Path: output, Partial: true, Error: err.Error()}
		}
		result <- r
	}()
	position := len(t.captures)
	t.captures = append(t.captures, nil)
	t.endsAsHost(p, t.starting.Process)
	wait := p.Wait
	p.Wait = func() driver.Exit {
		exit := wait()
		// The host is gone, so that its document is in the pipe. It fails when that has been read already.
		_ = read.SetReadDeadline(time.Now().Add(time.Second))
		r := <-result
		if r.Exit != nil {
			r.Exit.Stderr = exit.Stderr
			exit = *r.Exit
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.captures[position] = &r
		return exit
	}
	return p, nil
}

// endsAsHost makes the process end as a trace host must: it is asked, so that it kills its executor and saves the capture, and killed with its whole group
// when that takes too long.
func (t *tracedStarter) endsAsHost(p *driver.Process, host *os.Process) {
	p.Leave = t.grace
	kill, wait := p.Kill, p.Wait
	var mu sync.Mutex
	var killer *time.Timer
	p.Kill = func() {
		err := host.Signal(syscall.SIGTERM)
		switch {
		case errors.Is(err, os.ErrProcessDone):
		case err != nil: // there are no such signals on Windows
			kill()
		default:
			mu.Lock()
			defer mu.Unlock()
			if killer == nil {
				killer = time.AfterFunc(hostTime(t.grace), kill)
			}
		}
	}
	p.Wait = func() driver.Exit {
		exit := wait()
		mu.Lock()
		defer mu.Unlock()
		if killer != nil {
			killer.Stop()
		}
		return exit
	}
}

// Captures are what became of the captures of the executors that have been waited for, in the order in which those were started.
func (t *tracedStarter) Captures() []hostResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	var results []hostResult
	for _, r := range t.captures {
		if r != nil {
			results = append(results, *r)
		}
	}
	return results
}

// Close ends every trace host that still runs, and with it its executor.
func (t *tracedStarter) Close() { t.local.Close() }

// command is the next trace host. It is called by Start, which holds the lock.
func (t *tracedStarter) command() (*exec.Cmd, error) {
	self, err := ownBinary()
	if err != nil {
		return nil, err
	}
	o := t.options
	flags := []string{
		"--capture-output=" + t.output(len(t.captures)), "--capture-tool=" + o.Tool, fmt.Sprintf("--capture-port=%d", t.port),
		fmt.Sprintf("--capture-max-bytes=%d", o.MaxBytes), fmt.Sprintf("--capture-max-duration=%v", o.MaxDuration), fmt.Sprintf("--capture-grace=%v", t.grace),
		"--sandbox=" + string(t.mode), "--scratch=" + t.scratch, "--not-private=" + t.notPrivate,
	}
	for _, site := range o.Sites {
		flags = append(flags, "--capture-site="+site)
	}
	t.starting = executorProcess(self, hostRole, t.variables.With(o.Environment...), t.memory, flags...)
	t.starting.ExtraFiles = []*os.File{t.report}
	return t.starting, sandbox.ConfigureNetwork(t.starting, t.support)
}

// output is the path of a capture, counted from 0.
func (t *tracedStarter) output(n int) string {
	if n == 0 {
		return t.options.Output
	}
	extension := filepath.Ext(t.options.Output)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(t.options.Output, extension), n+1, extension)
}

// readHostResult reads what a trace host says at its end. A host that was killed says nothing, which is an error.
func readHostResult(r io.Reader) (hostResult, error) {
	var result hostResult
	text, err := io.ReadAll(io.LimitReader(r, hostResultBytes+1))
	switch {
	case err != nil:
		return hostResult{}, fmt.Errorf("result of the trace host: %w", err)
	case len(text) == 0:
		return hostResult{}, errors.New("the trace host was killed before it had said what became of the capture")
	case len(text) > hostResultBytes:
		return hostResult{}, fmt.Errorf("result of the trace host: more than %d bytes", hostResultBytes)
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return hostResult{}, fmt.Errorf("result of the trace host: %w", err)
	}
	return result, nil
}
