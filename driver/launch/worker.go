// Package launch makes single launches: it has executors measure one invocation, or both sides of a pair by turns. It
// does what it is told and keeps nothing but its executors; what comes next, and what becomes of results, is decided
// elsewhere.
package launch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Machine is what a worker must know of the machine on which its executors run.
type Machine struct {
	Executor  executors.Starter // of sandboxed executors that measure
	Emulator  executors.Starter // of executors that start emulators; nil: those of Executor
	Elsewhere bool              // it is another one
	HugePages string            // how it gives huge pages to memory, as Linux says it
}

// Worker has the executors that launches need, on one machine. One goroutine at a time uses it.
type Worker struct {
	machine  Machine
	executor *executors.Supervisor
	beside   *executors.Supervisor // of the other side of a pair
	emulator *executors.Supervisor // of invocations that are emulated
	exchange *executors.Exchange   // lent to executors of both sides; nil: none
	still    *Standstill           // notices when this process does not run; nil: nobody looks

	last   *invocations.Invocation // that was launched, if an executor may measure another one after it; nil: none
	pinned bool                    // the executor's thread is on one CPU
}

// NewWorker returns a worker without executors. build is that of zonemark, for the handshake; words and still may be
// nil.
func NewWorker(on Machine, build string, words executors.Words, still *Standstill) *Worker {
	return &Worker{
		machine: on, still: still,
		executor: &executors.Supervisor{Starter: on.Executor, Build: build, Words: words},
		beside:   &executors.Supervisor{Starter: on.Executor, Build: build, Words: words},
		emulator: &executors.Supervisor{Starter: on.Emulator, Build: build, Words: words, Tools: true},
	}
}

// Ready starts the executor that an invocation needs, unless it runs.
func (w *Worker) Ready(ctx context.Context, inv *invocations.Invocation, emulated, supervised bool) error {
	serving, allowed := w.serving(emulated), executors.AllowanceOf(inv)
	allowed.Supervised = serving == w.executor && supervised
	return serving.Ready(ctx, allowed)
}

// Close ends all executors. Further launches start others.
func (w *Worker) Close() {
	for _, s := range []*executors.Supervisor{w.executor, w.beside, w.emulator} {
		s.Close()
	}
	w.exchange.Close()
	w.exchange = nil
}

// Starts returns how many executors were started.
func (w *Worker) Starts() int { return w.executor.Starts + w.beside.Starts + w.emulator.Starts }

// Counters returns which counters the executors have, or why they have none; "" if none has answered.
func (w *Worker) Counters() string { return w.executor.Counters }

// serving returns the supervisor of the executors that make the calls of an invocation.
func (w *Worker) serving(emulated bool) *executors.Supervisor {
	if emulated && w.machine.Emulator != nil {
		return w.emulator
	}
	return w.executor
}

// Order is a launch that a worker makes. It reads what it points to until it answers, and changes none of it.
type Order struct {
	Make  Way
	Sides []Side
	Begun time.Time // the launch, which may be made again

	Supervised bool // the sandbox tells what it refuses
	// Fresh has the launch made in an executor that has measured nothing before. Shared allows one that has measured
	// others of the same artifact in such launches.
	Fresh, Shared bool
	// Following are the limits of what follows, whose executor is started ahead.
	Following executors.Allowance

	// Of InTurns:
	First, Turns int   // the side that begins, and the number of turns of each side
	TurnNS       int64 // how long a turn shall be, in nanoseconds
	Steps        bool  // calls are short enough to make batches by turns
}

// Side is an invocation that is launched.
type Side struct {
	Message  *wire.Execute
	Lacks    string // CPU features that explain a SIGILL
	Emulated bool   // an emulator makes the call
	Note     string // that a result gets whose outputs were compared; "": none
	// Before are the results of its launches before this one.
	Before []invocations.Result
}

// Answer is what came of a launch.
type Answer struct {
	Results  []*invocations.Result // of each side; nil: the other one failed before its first turn
	Took     time.Duration         // of each side
	Counters string                // which the executors have, or why they have none
	// Reference says that the executor ended while it called the reference, whose outputs are taken as correct.
	Reference bool
	// Err is the context's, or one of starting executors or of the host. Asked says that an executor had the message then.
	Err   error
	Asked bool
}

// Way is how a launch is made.
type Way func(context.Context, *Worker, *Order) Answer

// Make makes a launch.
func (w *Worker) Make(ctx context.Context, o *Order) Answer {
	a := o.Make(ctx, w, o)
	a.Counters = w.executor.Counters
	return a
}

// phaseReference is the phase in which an executor calls the reference.
const phaseReference = "reference"

// Alone measures one invocation in a fresh executor or, if it may, in one that has measured others of its artifact. It
// has the next executor started ahead.
func Alone(ctx context.Context, w *Worker, o *Order) Answer {
	inv := &o.Sides[0].Message.Invocation
	shares := w.shares(o, inv)
	if w.last = nil; o.Shared {
		w.last = inv
	}
	if !shares {
		w.executor.Renew()
	}
	w.executor.Supervised, w.pinned = o.Supervised, inv.Measure.CPU >= 0
	defer func() { w.executor.Supervised = false }()
	if err := w.executor.Ready(ctx, w.executor.Allowed(inv)); err != nil {
		return Answer{Err: fmt.Errorf("%s: %w", inv.Name, err)}
	}
	w.executor.StartAhead(ctx, o.Following)
	a := w.ask(ctx, o)
	if a.Err == nil && !a.Reference && a.Results[0].Stop == invocations.StopSupervised {
		a = w.unsupervised(ctx, o, a.Results[0])
	}
	return w.told(o, a)
}

// Once calls one invocation in the executor that has called others.
func Once(ctx context.Context, w *Worker, o *Order) Answer {
	inv := &o.Sides[0].Message.Invocation
	pin := inv.Measure.CPU >= 0
	if w.pinned && !pin {
		w.executor.Close() // a pinned executor cannot return to all CPUs
	}
	w.pinned, w.last = pin, nil
	if o.Fresh {
		w.serving(o.Sides[0].Emulated).Renew()
	}
	w.executor.Supervised = o.Supervised
	defer func() { w.executor.Supervised = false }()
	return w.told(o, w.ask(ctx, o))
}

// ask has an executor answer the message of an order.
func (w *Worker) ask(ctx context.Context, o *Order) Answer {
	side := &o.Sides[0]
	m := side.Message
	serving := w.serving(side.Emulated)
	result, err := serving.Execute(ctx, m, side.Lacks)
	if err != nil {
		return Answer{Err: fmt.Errorf("%s: %w", m.Name, err), Asked: true}
	}
	bad := endedBadly(result.Status)
	if side.Note != "" && (!m.Trusted || m.Thorough) && !bad { // a thorough one may take the place of those before
		combine.AddNew(&result.Notes, []string{side.Note})
	}
	return Answer{Results: []*invocations.Result{&result}, Reference: bad && serving.Phase == phaseReference}
}

// told completes an answer by what is known of its time.
func (w *Worker) told(o *Order, a Answer) Answer {
	if a.Err == nil {
		w.still.note(a.Results[0], o.Begun)
	}
	a.Took = time.Since(o.Begun)
	return a
}

// endedBadly reports whether a call did not finish.
func endedBadly(s invocations.Status) bool { return s != invocations.OK && s != invocations.Mismatch }

// unsupervised makes the first launch again, in an executor that supervision does not slow down. told is what the
// supervised one has found.
func (w *Worker) unsupervised(ctx context.Context, o *Order, told *invocations.Result) Answer {
	w.executor.Supervised = false
	w.executor.Renew()
	a := w.ask(ctx, o)
	if a.Err != nil || a.Results[0].Status != invocations.OK {
		return a
	}
	result := a.Results[0]
	if result.Stop == invocations.StopSupervised {
		*result = w.executor.Disbelieve(o.Sides[0].Message, o.Sides[0].Lacks,
			"it asks twice for an executor without supervision")
		return a
	}
	combine.AddNew(&result.Notes, told.Notes)
	if slices.Contains(told.Verdicts, invocations.Refused) {
		result.AddVerdict(invocations.Refused)
	}
	return a
}

// shares reports whether the present executor may measure an invocation after others. Both launches must allow it, so
// nothing is to be learned from fresh executors, and both be of one artifact. A pinned thread cannot return to all
// CPUs. An executor that an invocation has changed leaves by itself.
func (w *Worker) shares(o *Order, inv *invocations.Invocation) bool {
	last := w.last
	return o.Shared && !o.Fresh && last != nil && last.Measure.CPU == inv.Measure.CPU && last.Runtime == inv.Runtime &&
		sameArtifact(&last.Artifact, &inv.Artifact)
}

// sameArtifact reports whether an executor loads the same for both.
func sameArtifact(a, b *invocations.Artifact) bool {
	return a.Path == b.Path && a.Built == b.Built && a.SHA256 == b.SHA256 && maps.Equal(a.Options, b.Options)
}
