// Package executors starts executors in child processes, keeps one running for whoever asks it, lends two of them memory,
// and believes only answers that can be true. It knows invocations and results, but no plan, no launch and no journal.
package executors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"zonemark/invocations"
)

// Process is a running executor as the driver sees it: how to talk to it, how to end it, and how it ended.
type Process struct {
	To   io.WriteCloser
	From io.ReadCloser
	Kill func()      // ends it at once; does nothing if it has ended
	Wait func() Exit // waits for its end; may be called once
	// DiscardOutput drops the output so far, so that output of one invocation is not shown with a later one. What the
	// process has written to files is not held against it any more either, see Watch.
	DiscardOutput func()
	// Stopped returns how long it has been stopped by a signal since DiscardOutput was called last, also after its end.
	// It is nil if nobody looks.
	Stopped func() time.Duration
	// Starved reports whether the kernel has ended a process that it started because their memory ran out. It is nil if
	// nobody looks.
	Starved func() bool
	// BeginWork tells that it begins to measure, and WorkedNS returns the CPU time, in nanoseconds, that its busiest thread
	// has had since BeginWork was called for the first time after DiscardOutput; 0: not known. They are nil if nobody can
	// look. BeginWork does not wait.
	BeginWork func()
	WorkedNS  func() int64
	// Move changes the paths in an invocation to those that the executor has the files at. It changes no list or map of
	// it in place. It is nil if the executor sees the files of this machine.
	Move func(*invocations.Invocation)
	// ExitTimeout is how long it may take to end by itself after a Goodbye or after it closed its side of the
	// connection. 0 means two seconds.
	ExitTimeout time.Duration
}

// exitTimeout returns how long p may take to end by itself.
func (p *Process) exitTimeout() time.Duration {
	if p.ExitTimeout > 0 {
		return p.ExitTimeout
	}
	return goodbyeTimeout
}

// Exit describes how a process has ended.
type Exit struct {
	Signal      string   // "SIGSEGV"; empty if it exited by itself
	Code        int      // exit code if Signal is empty
	MaxRSSBytes int64    // 0 if the system does not report it
	Stderr      []string // last lines of standard output and then of standard error
	Exceeded    Exceeded // why it was killed, if it was because it exceeded a limit
	Lost        string   // why nothing is known of its end: its host was lost; empty if it is known
}

// ErrHostLost tells that the connection to a host has ended, so that nothing is known of its executors.
var ErrHostLost = errors.New("the connection to the host was lost")

// lostError says how a connection was lost. It is an ErrHostLost.
type lostError struct{ why string }

func (e *lostError) Error() string        { return e.why }
func (e *lostError) Is(target error) bool { return target == ErrHostLost }

// Exceeded is a limit that a process exceeded, so that it was killed. It is zero if there is none.
type Exceeded struct {
	Limit   Limit
	Used    int64 // bytes or threads
	Allowed int64
	// Own reports that most of it is new since the process was asked for the last time: nothing that others have left
	// there is to blame.
	Own bool
}

// Tell tells people of it, with what the process was doing and the flag that allows more.
func (e Exceeded) Tell(doing string) string {
	switch e.Limit {
	case LimitLoan:
		return fmt.Sprintf("native code kept access to memory that it had given to the other side of the comparison; "+
			"killed %s", doing)
	case LimitKernel:
		return fmt.Sprintf("memory ran out: the kernel ended native code %s, since its control group or the machine had no "+
			"memory left", doing)
	case LimitGroup:
		return fmt.Sprintf("native code had %d threads, and the control group (pids.max) leaves %d to it; killed %s",
			e.Used, e.Allowed, doing)
	case LimitThreads:
		return fmt.Sprintf("native code had %d threads, and %d are allowed; killed %s; --threads allows more",
			e.Used, e.Allowed, doing)
	}
	return fmt.Sprintf("memory ran out: native code took %d MiB of memory, shared memory and files, and %d MiB "+
		"are allowed; killed %s; --memory allows more", e.Used>>20, e.Allowed>>20, doing)
}

// Limit is what a process is given a limited amount of.
type Limit string

// The limits that are watched while a process runs.
const (
	LimitMemory  Limit = "memory"
	LimitThreads Limit = "threads"
	LimitGroup   Limit = "threads of the control group"
	// LimitKernel is held by the kernel, which has ended a process of the control group because memory ran out.
	LimitKernel Limit = "memory of the control group"
	// LimitLoan is exceeded by an executor that keeps memory which is the other side's now; see Exchange.
	LimitLoan Limit = "loan"
)

// Limits are all that there are.
var Limits = [...]Limit{LimitMemory, LimitThreads, LimitGroup, LimitKernel, LimitLoan}

// Watch looks after a running process and kills it if it exceeds a limit.
type Watch interface {
	// Renew tells that the process was given something new to do: what it has done so far is not held against it.
	Renew()
	// Stopped returns how long the process has been stopped by a signal since the last Renew, as far as was seen.
	Stopped() time.Duration
	// Starved reports whether the kernel has ended a process that the process started because their memory ran out.
	Starved() bool
	// Stop ends the watch, after the end of the process, and returns the limit that the process exceeded.
	Stop() Exceeded
}

// Starter starts executors, on this machine or, by a command prefix, on another one.
type Starter interface {
	// Start starts an executor that serves only invocations with these limits.
	Start(Allowance) (*Process, error)
}

// Allowance is what an executor may take of the machine; see invocations.Limits. 0 stands for what is usual.
type Allowance struct {
	MemoryBytes, Threads int64
	PrintsErrors         bool      // native code prints why it failed; see invocations.Limits
	Profile              string    // of the sandbox
	Allow                string    // what may be written, joined by allowSeparator
	Devices              string    // patterns of files of devices that may be written, if they are there; joined likewise
	Supervised           bool      // the sandbox tells what it refuses of files, and slows such calls down
	Exchange             *Exchange // with another executor; nil: none
}

// allowSeparator joins paths in an Allowance, which can be compared.
const allowSeparator = "\x00"

// Paths returns the devices, files and folders that the executor may write.
func (a Allowance) Paths() []string { return splitPaths(a.Allow) }

// DevicePatterns returns patterns, as of filepath.Glob, of further files that the executor may write. Only the machine on
// which it starts knows which of them are there.
func (a Allowance) DevicePatterns() []string { return splitPaths(a.Devices) }

func splitPaths(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, allowSeparator)
}

// JoinPaths joins what an executor may write for an Allowance.
func JoinPaths(list []string) string { return strings.Join(list, allowSeparator) }

// AllowanceOf returns what an executor may take while it serves an invocation.
func AllowanceOf(inv *invocations.Invocation) Allowance {
	l := &inv.Limits
	return Allowance{
		MemoryBytes: l.MemoryBytes, Threads: l.Threads, PrintsErrors: l.PrintsErrors, Profile: l.Profile,
		Allow: JoinPaths(l.Allow), Devices: JoinPaths(l.Devices),
	}
}

// keepsToItself reports whether an executor has nothing that the next one may need: no driver of a device, no memory that
// it exchanges, and no file that it may write.
func (a *Allowance) keepsToItself() bool {
	return a.Exchange == nil && a.Devices == "" && !a.PrintsErrors && a.Allow == ""
}

const (
	tailLines = 20
	tailWidth = 400
)

// Tail keeps the last lines of what is written to it. Its zero value is empty.
type Tail struct {
	mu      sync.Mutex
	lines   []string
	partial []byte
	fault   string // the first line in which a Go program says why it ends; empty: none
}

// Write takes output, of which it keeps valid UTF-8 in lines that are not too long.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	if len(rest) > tailLines*tailWidth { // the lines before would be dropped anyway
		rest = rest[len(rest)-tailLines*tailWidth:]
		if t.fault == "" {
			t.fault = faultIn(append(t.partial, p...))
		}
	}
	for _, b := range rest {
		if b == '\n' {
			t.end()
		} else if len(t.partial) < tailWidth {
			t.partial = append(t.partial, b)
		}
	}
	return len(p), nil
}

func (t *Tail) end() {
	if line := strings.TrimRight(strings.ToValidUTF8(string(t.partial), "�"), " \r"); line != "" {
		t.lines = append(t.lines, line)
		if t.fault == "" && isGoFault(line) {
			t.fault = line
		}
		if len(t.lines) > tailLines {
			t.lines = t.lines[1:]
		}
	}
	t.partial = t.partial[:0]
}

// Discard drops the lines so far.
func (t *Tail) Discard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines, t.partial, t.fault = nil, t.partial[:0], ""
}

// Last returns the last lines, including an unfinished one. Before them is the line in which a Go program says why it
// ends, if it is not among them: the stacks of its goroutines follow, which are often more.
func (t *Tail) Last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
	if t.fault != "" && !slices.Contains(t.lines, t.fault) {
		return slices.Insert(slices.Clone(t.lines), 0, t.fault)
	}
	return slices.Clone(t.lines)
}

// lastWords returns the last lines of standard output and then of standard error.
func lastWords(stdout, stderr *Tail) []string {
	said, errs := stdout.Last(), stderr.Last()
	return append(said[max(0, min(len(said), len(said)+len(errs)-tailLines)):], errs...)
}

// isGoFault reports whether Go's runtime says in a line why it ends the program.
func isGoFault(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// faultIn returns the first such line of a text, cut to the width of the tail; "" if there is none.
func faultIn(text []byte) string {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line[:min(len(line), tailWidth)], " \r\n")
		if said := strings.ToValidUTF8(string(line), "\uFFFD"); isGoFault(said) {
			return said
		}
	}
	return ""
}
