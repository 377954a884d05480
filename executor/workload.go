package executor

import (
	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// Workload is what a call of an invocation runs. It is one of four kinds: *Native, *Function, *Batches and *Process. A
// kind has only the fields that mean something for it.
type Workload interface {
	// Thread returns what holds of calls that the measuring thread makes; nil if other processes make them.
	Thread() *OnThread
	// MostCalls returns how many calls a batch may have; 0 means any number.
	MostCalls() int64
	// Each returns how many calls of the timer make up a call of the invocation.
	Each() int64
	kind()
}

// OnThread is what kinds have in common whose calls the measuring thread makes.
type OnThread struct {
	// Waits reports that the thread may wait for other threads, or for a device, that do the work. Its CPU time then says
	// nothing about contention.
	Waits bool
	// Device reports that a device other than the CPU does the work. The thread then sleeps until the device is done,
	// and that it was taken off its CPU says nothing.
	Device bool
	// MaxCallsPerBatch bounds a batch if calls hold memory until SettleOutputs; 0 means no bound.
	MaxCallsPerBatch int64
	// SettleOutputs frees what the callee allocated during the last batch. It is nil if the callee allocates nothing.
	SettleOutputs func()
}

// Thread returns it.
func (t *OnThread) Thread() *OnThread { return t }

// MostCalls implements Workload.
func (t *OnThread) MostCalls() int64 { return t.MaxCallsPerBatch }

// Native is native code with argument frames, which the assembly loop calls and times.
type Native struct {
	OnThread
	Entry  uintptr        // address of a C function
	Frames []native.Frame // argument sets in memory order, all of one shape; at least one
	Lines  []native.Range // memory that the first argument set refers to, for flushing

	// Returns is the type of what Entry returns; empty if it returns nothing, or if nobody is to be told.
	Returns invocations.ElementType
	// ReturnsPointer reports that what Entry returns is an address.
	ReturnsPointer bool
	// CallsPerInvocation is how many calls of Entry, each with the next of Frames, make up what is measured; a dispatch
	// is called once for each workgroup. The number of frames is a multiple of it. 0 means 1.
	CallsPerInvocation int64
	// Failed reports the failure of a call of Entry since Failed was called last. It is called after each run of the
	// loop. It is nil if calls cannot fail.
	Failed func() error
	// FlushDenormals makes the calls of Entry compute with denormal numbers as zeros, as the runtime does for which the
	// code was made.
	FlushDenormals bool
	// Changed is what calls change of their arguments and read again. It is nil if the runtime cannot restore it.
	Changed *arguments.Changed
	// Ring are the sets of Frames, which are restored before each batch. It is nil if calls find what calls before them
	// have left.
	Ring *arguments.Ring
}

func (*Native) kind() {}

// Each implements Workload.
func (n *Native) Each() int64 { return max(1, n.CallsPerInvocation) }

// Function is a function of Go around a foreign call, timed around each batch of its calls.
type Function struct {
	OnThread
	Invoke func() error
	// Restores reports that calls find restored arguments anyway.
	Restores bool
}

func (*Function) kind() {}

// Each implements Workload.
func (*Function) Each() int64 { return 1 }

// Batches are calls that a process makes which the runtime keeps, and times by its own clock. Counters of the processor
// do not count them.
type Batches struct {
	// Batch makes calls, one after the other, and returns what they took together.
	Batch func(calls int64) (Used, error)
}

func (*Batches) kind() {}

// Each implements Workload.
func (*Batches) Each() int64 { return 1 }

// Thread implements Workload.
func (*Batches) Thread() *OnThread { return nil }

// MostCalls implements Workload.
func (*Batches) MostCalls() int64 { return 0 }

// Process is a call that runs in processes of its own. A batch is one call.
type Process struct {
	// Run makes one call in processes that it starts on this thread, and returns what the call took. What Run does
	// before it starts the first process is not timed.
	Run func() (Used, error)
}

func (*Process) kind() {}

// Each implements Workload.
func (*Process) Each() int64 { return 1 }

// Thread implements Workload.
func (*Process) Thread() *OnThread { return nil }

// MostCalls implements Workload.
func (*Process) MostCalls() int64 { return 1 }

// Used is what one call took that ran in processes of its own, or what calls took together that another process made.
type Used struct {
	// WallNS is from just before the first process was started to just after it ended, or of all calls of a batch.
	WallNS           float64
	UserNS, SystemNS float64 // CPU time of all processes; of a batch, UserNS is all of it
	// Delayed reports that the first process was ready to run, but waited for a CPU, for a considerable share of the
	// time.
	Delayed   bool
	Faults    float64 // page faults of all processes
	Switches  float64 // context switches of all processes
	PeakBytes int64   // largest resident size of one of the processes; 0: not known
	// PeakHidden reports that the resident size was at most PeakBytes, which is that of this process: a process begins
	// with the memory of the one that starts it, and the system keeps no record of a smaller size.
	PeakHidden bool
}
