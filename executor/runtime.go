// Package executor holds what runtimes and the engine agree on: what a runtime is, what it prepares, and the calls that
// are measured. The engine is in the packages serving, rounds and timers, which run inside the sandboxed child process.
// They know nothing of the driver, of traces on disk or of any runtime's files.
package executor

import (
	"context"

	"zonemark/executor/arguments"
	"zonemark/executor/platform"
	"zonemark/executor/tracy"
	"zonemark/invocations"
	"zonemark/invocations/building"
)

// Runtime loads native code of one kind.
type Runtime interface {
	// Name is what a user writes after --runtime.
	Name() string
	// Describe reads an artifact without loading native code; it runs in a child that may start compilers. A folder or
	// a file may hold several artifacts.
	Describe(path string, o DescribeOptions) ([]invocations.Description, error)
	// Load opens native code. The program stays valid until it is closed.
	Load(artifact invocations.Artifact) (Program, error)
}

// DescribeOptions hold what reading an artifact may depend on.
type DescribeOptions struct {
	Parameters map[string]string // of the request
	Options    map[string]string // see invocations.Artifact; the server has refused those that the runtime's row lacks
	// Cache is the folder below which an artifact is compiled that cannot be read as it is; empty if there is none.
	Cache string
	// Functions are the names of those that are asked for, of which errors tell; empty: all are.
	Functions []string
	// Confine confines the programs that are started for that.
	Confine building.Confine
}

// Program is a loaded artifact.
type Program interface {
	// Prepare allocates and fills the arguments of an invocation. It chooses the number of argument sets so that they
	// take at least setBytes together; the number is 1 if setBytes is 0. Errors that a user caused become status
	// "failed".
	Prepare(inv *invocations.Invocation, setBytes int64) (*Call, error)
	Close() error
}

// What follows is what some programs and runtimes can do beside that. An interface is implemented by those alone that
// can do it, and asked for at one place of the engine. What a prepared call has or lacks is a field of Call instead.

// Placer is implemented by programs that can place their arguments in memory that two executors exchange.
type Placer interface {
	// PrepareIn prepares as Prepare does, with the arguments in shared memory.
	PrepareIn(inv *invocations.Invocation, setBytes int64, shared platform.Shared) (*Call, error)
}

// Exiter is implemented by runtimes that must end the process themselves after a session, because what their native
// code still holds would be lost.
type Exiter interface {
	// Exit ends the process with the status. It returns nil if there is nothing to wait for; the caller then ends the
	// process. The caller must be on the thread that has served.
	Exit(status int) error
}

// SingleUse is implemented by runtimes that serve one invocation, or the rounds of one group, in a process, because
// state that they leave in the process would change later invocations.
type SingleUse interface {
	// NeedsNewProcess returns why the process must be replaced before the next invocation. It returns "" if the process
	// can go on.
	NeedsNewProcess() string
}

// Builder is implemented by runtimes some of whose artifacts must be compiled or linked before they load. It runs in a
// child of its own that may start compilers and never loads the result.
type Builder interface {
	// Build makes the file to load, below the cache of the workshop, and returns its path. The file is named after the hash
	// of content, flags and tool version. Build returns at once if the file is there. Two builds of one artifact may run at
	// once. The workshop confines the programs that it starts.
	Build(ctx context.Context, artifact invocations.Artifact, w building.Workshop) (string, error)
}

// Call is an invocation ready to run: a workload, and what workloads of all kinds have in common.
type Call struct {
	Work Workload
	// Inert reports that preparing the call has run no native code, and has changed nothing of the process but its
	// memory.
	Inert bool

	SetBytes int64                    // total size of the argument sets
	Places   []invocations.ArrayPlace // where arrays of the first set begin; nil if the runtime places them itself
	Notes    []string                 // what a reader of the result should know
	// Properties are what programs should know about the loaded artifact and about what runs it, by the runtime's own
	// keys; numbers are decimal. It may be nil.
	Properties map[string]string
	// Parameters are the values that are measured of parameters which only have estimates, where they differ from these.
	Parameters map[string]string
	// FLOP and Bytes are what a call computes and moves, by the runtime's own analysis; 0 means not known.
	FLOP, Bytes float64

	// Verify runs the call once on the first set, and the reference on the same contents, and compares. A non-empty
	// text with a nil error describes a mismatch. Verify is nil if there is nothing to compare with.
	Verify func(phase func(name string)) (mismatch string, err error)
	// VerifyAgain does so after the timed calls, with the arguments of these if possible, whose first contents it
	// restores, outputs included. It is nil if nobody asked for a comparison, or if the runtime can compare only once.
	VerifyAgain func(phase func(name string)) (mismatch string, err error)
	// Touched returns what calls have written that they should leave as it is. It is nil if nobody looks.
	Touched func() arguments.Touched
	// Reset restores the contents that calls changed. It is nil if nothing has to be restored.
	Reset func()
	// Move moves the arguments, with the contents that they had at first, to another part of the memory that executors
	// exchange, or takes them out of their part if it goes to platform.Nowhere. It is nil if they are not in such memory.
	Move func(to platform.Shared) error
	// Profile makes calls under the runtime's own profiler and returns where their time went. It is nil if there is no
	// profiler.
	Profile func(calls int64) (invocations.Profile, error)
	// Tracy is the client into which the runtime's own zones go. It is nil if the native code carries none.
	Tracy *tracy.Client
	// Simulated fills in what a simulator has counted in the calls so far: SimulatedCycles and SimulatedCores. It is nil
	// on silicon.
	Simulated func(r *invocations.Result)
	Close     func()
}

// Settle frees what callees have allocated during the last batch.
func (c *Call) Settle() {
	if t := c.Work.Thread(); t != nil && t.SettleOutputs != nil {
		t.SettleOutputs()
	}
}

// Sets returns the number of argument sets that the calls use in turn; at least 1.
func (c *Call) Sets() int {
	n, ok := c.Work.(*Native)
	if !ok {
		return 1
	}
	return max(1, len(n.Frames)/int(n.Each()))
}

// Release frees what was prepared.
func (c *Call) Release() {
	if c.Close != nil {
		c.Close()
	}
}

// MemoryError reports that arguments do not fit into memory; the invocation ends "out-of-memory".
type MemoryError = arguments.MemoryError

// UnsupportedError reports that this machine cannot run the invocation; it ends "skipped" with the text as its reason.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }
