// Package timers makes batches of a workload's calls and times them: one timer for each kind of workload. It knows nothing
// of what a round is.
package timers

import (
	"fmt"
	"time"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// Timer makes timed batches. Run returns the times of the batches in nanoseconds; the slice is valid until the next
// run.
type Timer interface {
	Run(calls int64, batches int) ([]float64, error)
	// SetPrelude has so many calls made before each batch that are not timed.
	SetPrelude(calls int)
	Close()
}

// Loop times native code with the assembly loop.
type Loop struct {
	*native.Loop
	each  int64   // calls of the loop that make up one call
	perNS float64 // clock ticks
	// failed reports the failure of a call since it was asked last. It is nil if calls cannot fail.
	failed  func() error
	ring    *arguments.Ring // of the frames, restored before each batch; nil: they are not restored
	ledger  *Ledger         // of the round; nil: nobody keeps one, as untimed work of any length belongs to each batch
	prelude int             // calls before each batch that are not timed
	ns      []float64
}

func (t *Loop) Run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	if t.ring == nil {
		t.take(int(calls*t.each), batches)
	} else {
		for range batches {
			if t.ring.Ready(t.prelude + int(calls)) {
				t.Rewind()
			}
			t.take(int(calls), 1)
		}
	}
	if err := t.Failure(); err != nil {
		return nil, err
	}
	return t.ns, nil
}

// take enters the loop and adds the times of its batches.
func (t *Loop) take(calls, batches int) {
	start, sum := time.Now(), 0.0
	ticks := t.Loop.Run(calls, batches)
	took := float64(time.Since(start))
	for _, one := range ticks {
		ns := float64(one) / t.perNS
		t.ns = append(t.ns, ns)
		sum += ns
	}
	t.ledger.add(took, sum, float64(t.prelude)/float64(calls), batches)
}

// Keep has the loop keep a ledger.
func (t *Loop) Keep(l *Ledger) { t.ledger = l }

// OverEmpty returns a loop of the same shape over a function that only returns.
func (t *Loop) OverEmpty() (*Loop, error) {
	loop, err := t.Empty()
	if err != nil {
		return nil, err
	}
	return &Loop{Loop: loop, each: t.each, perNS: t.perNS}, nil
}

// RunOnce makes one call that is not timed, and returns an error if it does not keep what the calling convention makes it
// keep. It makes no call that the loop in assembly does not make.
func (t *Loop) RunOnce() error { return t.RunChecked(int(t.each)) }

// Failure returns the failure of a call since it was asked last.
func (t *Loop) Failure() error {
	if t.failed == nil {
		return nil
	}
	return t.failed()
}

func (t *Loop) SetPrelude(calls int) {
	t.prelude = calls
	t.Loop.SetPrelude(calls)
}

func (t *Loop) Close() { t.Loop.Close() }

// invoked times calls that go through Go.
type invoked struct {
	invoke  func() error
	prelude int
	ns      []float64
}

func (t *invoked) Run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for range batches {
		for range t.prelude {
			if err := t.invoke(); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		for range calls {
			if err := t.invoke(); err != nil {
				return nil, err
			}
		}
		t.ns = append(t.ns, float64(time.Since(start)))
	}
	return t.ns, nil
}

func (t *invoked) SetPrelude(calls int) { t.prelude = calls }

func (t *invoked) Close() {}

// Process times calls that run in other processes.
type Process struct {
	batch func(calls int64) (executor.Used, error)
	Last  executor.Used // of the batch that was made last
	ns    []float64
}

func (t *Process) Run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for range batches {
		var err error
		if t.Last, err = t.batch(calls); err != nil {
			return nil, err
		}
		t.ns = append(t.ns, t.Last.WallNS)
	}
	return t.ns, nil
}

func (t *Process) SetPrelude(int) {}

func (t *Process) Close() {}

// New returns what makes batches of a workload's calls, and the clock that times them.
func New(w executor.Workload, m *invocations.Measure, clock native.Clock) (Timer, native.Clock, error) {
	switch w := w.(type) {
	case *executor.Native:
		return newLoop(w, m, clock)
	case *executor.Function:
		return &invoked{invoke: w.Invoke}, native.MonotonicClock(), needsNative(m.Mode)
	case *executor.Batches:
		return &Process{batch: w.Batch}, native.MonotonicClock(), needsNative(m.Mode)
	case *executor.Process:
		batch := func(int64) (executor.Used, error) { return w.Run() }
		return &Process{batch: batch}, native.MonotonicClock(), needsNative(m.Mode)
	}
	return nil, clock, fmt.Errorf("%T: no such kind of workload", w)
}

func newLoop(n *executor.Native, m *invocations.Measure, clock native.Clock) (Timer, native.Clock, error) {
	if int64(len(n.Frames))%n.Each() != 0 {
		return nil, clock, fmt.Errorf("%d argument frames for invocations of %d calls each", len(n.Frames), n.Each())
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
			return nil, clock, &executor.UnsupportedError{Reason: "mode \"flush\": this CPU cannot evict single cache lines from user code"}
		}
		loop.SetFlush(n.Lines)
	}
	return &Loop{Loop: loop, each: n.Each(), perNS: clock.TicksPerNS, failed: n.Failed, ring: n.Ring}, clock, nil
}

// needsNative returns an error if a mode of measuring is possible with native code only.
func needsNative(mode invocations.Mode) error {
	if mode == invocations.Flush || mode == invocations.Serialized {
		return &executor.UnsupportedError{Reason: fmt.Sprintf("mode %q needs native code that is called directly", mode)}
	}
	return nil
}
