// Package executor runs inside the sandboxed child process: it serves invocations that come over the wire, prepares them with a runtime
// and measures them. It knows nothing of the driver, of traces on disk or of any runtime's files.
package executor

import (
	"context"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// Runtime loads native code of one kind.
type Runtime interface {
	// Name is what a user writes after --runtime.
	Name() string
	// Describe reads an artifact without loading native code. A folder or a file may hold several artifacts.
	Describe(path string, parameters map[string]string) ([]invocations.Description, error)
	// Load opens native code. The program stays valid until it is closed.
	Load(artifact invocations.Artifact) (Program, error)
}

// Program is a loaded artifact.
type Program interface {
	// Prepare allocates and fills the arguments of an invocation. The number of argument sets is chosen so that they take at
	// least setBytes together; it is 1 when setBytes is 0. Errors that a user caused become status "failed".
	Prepare(inv *invocations.Invocation, setBytes int64) (*Call, error)
	Close() error
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

	SetBytes int64 // total size of the argument sets
	// MaxCallsPerBatch bounds a batch where calls hold memory until SettleOutputs; 0 where there is no bound.
	MaxCallsPerBatch int64
	Notes            []string // what a reader of the result should know

	// Verify runs the call once on the first set, and the reference on the same contents, and compares. A nil error with a non-empty
	// text is a mismatch that the text describes. Nil when there is nothing to compare with.
	Verify func(phase func(name string)) (mismatch string, err error)
	// Reset restores the contents that calls changed. Nil when nothing has to be restored.
	Reset func()
	// SettleOutputs frees what the callee allocated during the last batch. Nil when it allocates nothing.
	SettleOutputs func()
	Close         func()
}

// MemoryError reports that arguments do not fit into memory; the invocation ends "out-of-memory".
type MemoryError struct{ Err error }

func (e *MemoryError) Error() string { return e.Err.Error() }
func (e *MemoryError) Unwrap() error { return e.Err }

// UnsupportedError reports that this machine cannot run the invocation; it ends "skipped" with the text as its reason.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }
