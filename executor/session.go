package executor

import (
	"fmt"
	"time"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// session is a prepared invocation with everything that its rounds share: the loop, the batch size, the overhead and the samples so far.
type session struct {
	inv      *invocations.Invocation
	call     *Call
	timer    timer
	clock    native.Clock
	calls    int64 // per batch
	batches  int   // per entry of the timed loop: more than one only when a batch is a single short call
	overhead float64
	warmed   int64     // calls made before the first timed one
	chainNS  float64   // speed of the core before the first round
	pooled   []float64 // net samples of all rounds, for the stopping rule
}

// timer makes timed batches. The times of the batches are in nanoseconds; the slice is valid until the next run.
type timer interface {
	run(calls int64, batches int) ([]float64, error)
	close()
}

// loopTimer times native code with the assembly loop.
type loopTimer struct {
	loop  *native.Loop
	each  int64   // calls of the loop that make up one call
	perNS float64 // clock ticks
	// failed says whether a call failed since it was asked last; nil where calls cannot fail.
	failed func() error
	ns     []float64
}

func (t *loopTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for _, ticks := range t.loop.Run(int(calls*t.each), batches) {
		t.ns = append(t.ns, float64(ticks)/t.perNS)
	}
	if t.failed != nil {
		if err := t.failed(); err != nil {
			return nil, err
		}
	}
	return t.ns, nil
}

func (t *loopTimer) close() { t.loop.Close() }

// invokeTimer times calls that go through Go.
type invokeTimer struct {
	invoke func() error
	ns     []float64
}

func (t *invokeTimer) run(calls int64, batches int) ([]float64, error) {
	t.ns = t.ns[:0]
	for range batches {
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

func (t *invokeTimer) close() {}

// newSession sets the timer of a prepared call up; the overhead and the batch size are found in the first round.
func newSession(inv *invocations.Invocation, call *Call, clock native.Clock) (*session, error) {
	s := &session{inv: inv, call: call, clock: clock}
	if call.Invoke != nil {
		if inv.Measure.Mode == invocations.Flush || inv.Measure.Mode == invocations.Serialized {
			return nil, &UnsupportedError{fmt.Sprintf("mode %q needs native code that is called directly", inv.Measure.Mode)}
		}
		s.clock = native.MonotonicClock()
		s.timer = &invokeTimer{invoke: call.Invoke}
		return s, nil
	}
	each := max(1, call.CallsPerInvocation)
	if int64(len(call.Frames))%each != 0 {
		return nil, fmt.Errorf("%d argument frames for invocations of %d calls each", len(call.Frames), each)
	}
	loop, err := native.NewLoop(clock, call.Entry, call.Frames)
	if err != nil {
		return nil, err
	}
	loop.SetFlushDenormals(call.FlushDenormals)
	switch inv.Measure.Mode {
	case invocations.Serialized:
		loop.SetSerialized(true)
	case invocations.Flush:
		if !native.CanFlush() {
			loop.Close()
			return nil, &UnsupportedError{"mode \"flush\": this CPU cannot evict single cache lines from user code"}
		}
		loop.SetFlush(call.Lines)
	}
	s.timer = &loopTimer{loop: loop, each: each, perNS: clock.TicksPerNS, failed: call.Failed}
	return s, nil
}

// empty is a timer of the same shape that calls a function that only returns; nil where the overhead is not the loop's.
func (s *session) empty() (timer, error) {
	t, ok := s.timer.(*loopTimer)
	if !ok {
		return nil, nil
	}
	loop, err := t.loop.Empty()
	if err != nil {
		return nil, err
	}
	return &loopTimer{loop: loop, each: t.each, perNS: t.perNS}, nil
}

func (s *session) close() {
	s.timer.close()
	if s.call.Close != nil {
		s.call.Close()
	}
}
