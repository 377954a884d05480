package executor

import (
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// Workload is what a call of an invocation runs. It is one of four kinds: *Native, *Function, *Batches and *Process. A
// kind has only the fields that mean something for it, and says what may observe it.
type Workload interface {
	// observedBy reports whether something can observe the workload.
	observedBy(o observation) bool
	// newTimer returns what makes batches of the workload's calls, and the clock that times them.
	newTimer(m *invocations.Measure, clock native.Clock) (timer, native.Clock, error)
	// thread returns what holds of calls that the measuring thread makes; nil if other processes make them.
	thread() *OnThread
	// mostCalls returns how many calls a batch may have; 0 means any number.
	mostCalls() int64
	// each returns how many calls of the timer make up a call of the invocation.
	each() int64
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

func (t *OnThread) thread() *OnThread { return t }

func (t *OnThread) mostCalls() int64 { return t.MaxCallsPerBatch }

// Native is native code with argument frames, which the assembly loop calls and times.
type Native struct {
	OnThread
	Entry  uintptr        // address of a C function
	Frames []native.Frame // argument sets in memory order, all of one shape; at least one
	Lines  []native.Range // memory that the first argument set refers to, for flushing

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

func (n *Native) each() int64 { return max(1, n.CallsPerInvocation) }

func (n *Native) newTimer(m *invocations.Measure, clock native.Clock) (timer, native.Clock, error) {
	if int64(len(n.Frames))%n.each() != 0 {
		return nil, clock, fmt.Errorf("%d argument frames for invocations of %d calls each", len(n.Frames), n.each())
	}
	loop, err := native.NewLoop(clock, n.Entry, n.Frames)
	if err != nil {
		return nil, clock, err
	}
	loop.SetFlushDenormals(n.FlushDenormals)
	loop.SetStackOffset(m.StackOffset)
	loop.SetPlace(m.Place)
	switch m.Mode {
	case invocations.Serialized:
		loop.SetSerialized(true)
	case invocations.Flush:
		if !native.CanFlush() {
			loop.Close()
			return nil, clock, &UnsupportedError{"mode \"flush\": this CPU cannot evict single cache lines from user code"}
		}
		loop.SetFlush(n.Lines)
	}
	return &loopTimer{loop: loop, each: n.each(), perNS: clock.TicksPerNS, failed: n.Failed, ring: n.Ring}, clock, nil
}

// Function is a function of Go around a foreign call, timed around each batch of its calls.
type Function struct {
	OnThread
	Invoke func() error
	// Restores reports that calls find restored arguments anyway.
	Restores bool
}

func (*Function) each() int64 { return 1 }

func (f *Function) newTimer(m *invocations.Measure, _ native.Clock) (timer, native.Clock, error) {
	return &invokeTimer{invoke: f.Invoke}, native.MonotonicClock(), needsNative(m.Mode)
}

// Batches are calls that a process makes which the runtime keeps, and times by its own clock. Counters of the processor
// do not count them.
type Batches struct {
	// Batch makes calls, one after the other, and returns what they took together.
	Batch func(calls int64) (Used, error)
}

func (*Batches) each() int64 { return 1 }

func (*Batches) thread() *OnThread { return nil }

func (*Batches) mostCalls() int64 { return 0 }

func (b *Batches) newTimer(m *invocations.Measure, _ native.Clock) (timer, native.Clock, error) {
	return &processTimer{batch: b.Batch}, native.MonotonicClock(), needsNative(m.Mode)
}

// Process is a call that runs in processes of its own. A batch is one call.
type Process struct {
	// Run makes one call in processes that it starts on this thread, and returns what the call took. What Run does
	// before it starts the first process is not timed.
	Run func() (Used, error)
}

func (*Process) each() int64 { return 1 }

func (*Process) thread() *OnThread { return nil }

func (*Process) mostCalls() int64 { return 1 }

func (p *Process) newTimer(m *invocations.Measure, _ native.Clock) (timer, native.Clock, error) {
	batch := func(int64) (Used, error) { return p.Run() }
	return &processTimer{batch: batch}, native.MonotonicClock(), needsNative(m.Mode)
}

// needsNative returns an error if a mode of measuring is possible with native code only.
func needsNative(mode invocations.Mode) error {
	if mode == invocations.Flush || mode == invocations.Serialized {
		return &UnsupportedError{fmt.Sprintf("mode %q needs native code that is called directly", mode)}
	}
	return nil
}

func isNative(w Workload) bool {
	_, ok := w.(*Native)
	return ok
}
