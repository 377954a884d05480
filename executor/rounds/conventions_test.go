package rounds

import (
	"testing"
	"time"

	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// The first calls are looked at one by one, and one after the batches, but in a brief look; in a short launch after the
// first, one of them.
func TestFirstCalls(t *testing.T) {
	for _, c := range []struct {
		short, brief, trusted bool
		want, last            int64
	}{
		{false, false, false, firstChecked, 1}, {false, false, true, firstChecked, 1}, {true, false, false, firstChecked, 1},
		{true, true, false, firstChecked, 0}, {true, false, true, 1, 0},
	} {
		call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		m := &wire.Execute{Short: c.short, Brief: c.brief, Trusted: c.trusted}
		s, err := New(m, call, instrumentsOf(native.CalibrateClock(calibration)), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.instruments.around = &script{} // no call takes long
		looked := int64(0)
		calls, err := s.FirstCalls(func() { looked++ })
		if err != nil || calls != c.want || looked != c.want {
			t.Errorf("%+v: %d calls, %d looked at; %v", c, calls, looked, err)
		}
		made := s.warmed
		if _, err := s.Finish(&invocations.Result{}, func(string) {}); err != nil || s.warmed-made != c.last {
			t.Errorf("%+v: %d calls after the batches; %v", c, s.warmed-made, err)
		}
		s.Close()
	}
}

// long is a script in which each call takes some time, and others may take the processor meanwhile.
type long struct {
	*script
	call      time.Duration
	preempted int64 // times in each call
	looks     int64 // two for each call
}

func (l *long) now() time.Time {
	l.looks++
	return time.Unix(0, l.looks/2*int64(l.call))
}

func (l *long) usage() platform.Usage {
	return platform.Usage{Involuntary: l.looks / 2 * l.preempted}
}

// A long call is the last of the first ones, but not if it was others that took the time: later calls may be the first
// that do not keep a register.
func TestFirstCallsPreempted(t *testing.T) {
	for _, c := range []struct {
		call      time.Duration
		brief     bool
		preempted int64
		want      int64
	}{
		{longChecked, false, 0, firstChecked}, {2 * longChecked, false, 0, 1}, {2 * longChecked, false, 1, firstChecked},
		{allChecked, false, 1, 2}, {longChecked, true, 0, 1}, {longBrief, true, 0, firstChecked},
	} {
		call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(&wire.Execute{Brief: c.brief}, call, instrumentsOf(native.CalibrateClock(calibration)), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.instruments.around = &long{script: &script{}, call: c.call, preempted: c.preempted}
		if calls, err := s.FirstCalls(func() {}); err != nil || calls != c.want {
			t.Errorf("%v, preempted %d times: %d calls, want %d; %v", c.call, c.preempted, calls, c.want, err)
		}
		s.Close()
	}
}
