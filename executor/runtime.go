// Package executor runs inside the sandboxed child process: it serves invocations that come over the wire, prepares them with a runtime
// and measures them. It knows nothing of the driver, of traces on disk or of any runtime's files.
package executor

import (
	"context"

	"zonemark/executor/native"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// Runtime loads native code of one kind.
type Runtime interface {
	// Name is what a user writes after --runtime.
	Name() string
	// Describe reads an artifact without loading native code; it runs in a child that may start compilers. A folder or a file may hold several artifacts.
	Describe(path string, o DescribeOptions) ([]invocations.Description, error)
	// Load opens native code. The program stays valid until it is closed.
	Load(artifact invocations.Artifact) (Program, error)
}

// DescribeOptions are what reading an artifact may depend on.
type DescribeOptions struct {
	Parameters map[string]string // of the request
	Options    map[string]string // see invocations.Artifact; one that the runtime does not know is refused
	Cache      string            // folder below which an artifact is compiled that cannot be read as it is; empty: none
}

// Program is a loaded artifact.
type Program interface {
	// Prepare allocates and fills the arguments of an invocation. The number of argument sets is chosen so that they take at
	// least setBytes together; it is 1 when setBytes is 0. Errors that a user caused become status "failed".
	Prepare(inv *invocations.Invocation, setBytes int64) (*Call, error)
	Close() error
}

// Traced is implemented by programs whose native code carries a Tracy client.
type Traced interface {
	// TracyClient is the client into which the runtime's own zones go.
	TracyClient() *tracy.Client
}

// Exiter is implemented by runtimes that have to end the process themselves after a session, because what their native code still holds would be lost.
type Exiter interface {
	// Exit ends the process with the status. It returns nil where there is nothing to wait for; the caller then ends it. It must be called on the thread that
	// has served.
	Exit(status int) error
}

// Spent is implemented by runtimes that serve one invocation, or the rounds of one group, in a process: what they leave in it would change what comes after.
type Spent interface {
	// Spent says why the process shall be replaced before the next invocation; empty when it can go on.
	Spent() string
}

// Builder is implemented by runtimes some of whose artifacts must be compiled or linked before they load. It runs in a child of its own that
// may start compilers and never loads the result.
type Builder interface {
	// Build makes the file to load below cache, named after the hash of content, flags and tool version, and returns its path. It
	// returns at once when the file is there. Two builds of one artifact may run at once.
	Build(ctx context.Context, artifact invocations.Artifact, cache string) (string, error)
}

// Call is an invocation ready to run: either native code with argument frames, timed by the assembly loop, or an Invoke that is timed
// around each call.
type Call struct {
	Entry  uintptr        // address of a C function; 0 when Invoke is set
	Frames []native.Frame // argument sets in memory order, all of one shape; at least one
	Lines  []native.Range // memory that the first argument set refers to, for flushing
	Invoke func() error

	// CallsPerInvocation is how many calls of Entry, with as many Frames in turn, make up what is measured; a dispatch is called once for each workgroup. The
	// frames are a multiple of it. 0 stands for 1.
	CallsPerInvocation int64

	// Waits says that the thread which calls Entry may wait for others, or for a device, that do the work: its CPU time then says nothing of contention.
	Waits bool

	// Failed says whether a call of Entry failed since it was asked last; it is asked after each run of the loop. Nil where calls cannot fail.
	Failed func() error
	// FlushDenormals makes the calls of Entry compute with denormal numbers as zeros, as the runtime does that the code was made for.
	FlushDenormals bool

	SetBytes int64 // total size of the argument sets
	// MaxCallsPerBatch bounds a batch where calls hold memory until SettleOutputs; 0 where there is no bound.
	MaxCallsPerBatch int64
	Notes            []string // what a reader of the result should know
	// Properties are what programs should know of the loaded artifact and of what runs it, by the runtime's own keys; numbers are decimal. May be nil.
	Properties map[string]string

	// Verify runs the call once on the first set, and the reference on the same contents, and compares. A nil error with a non-empty
	// text is a mismatch that the text describes. Nil when there is nothing to compare with.
	Verify func(phase func(name string)) (mismatch string, err error)
	// Reset restores the contents that calls changed. Nil when nothing has to be restored.
	Reset func()
	// SettleOutputs frees what the callee allocated during the last batch. Nil when it allocates nothing.
	SettleOutputs func()
	// SimulatedCycles is the median of the device cycles that a simulator has counted in the calls so far, 0 without a count; see invocations.Result. Nil on silicon.
	SimulatedCycles func() int64
	// FLOP and Bytes are what a call computes and moves, by the runtime's own analysis; 0: not known.
	FLOP, Bytes float64
	// Profile makes calls under the runtime's own profiler and says where their time went. Nil where there is none.
	Profile func(calls int64) (invocations.Profile, error)
	Close   func()
}

// MemoryError reports that arguments do not fit into memory; the invocation ends "out-of-memory".
type MemoryError struct{ Err error }

func (e *MemoryError) Error() string { return e.Err.Error() }
func (e *MemoryError) Unwrap() error { return e.Err }

// UnsupportedError reports that this machine cannot run the invocation; it ends "skipped" with the text as its reason.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }
