package rounds

import (
	"math"
	"strings"
	"testing"

	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/executor/rounds/wear"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// What calls leave is compared once if a further call leaves it as it is, and again if the further call changes it.
func TestComparesWhatCallsLeaveOnce(t *testing.T) {
	if native.CopyEntry() == 0 {
		return // this system has no such function
	}
	for _, c := range []struct {
		changes bool // something of what the call has left
		looks   int
	}{{false, 1}, {true, 2}} {
		entries := 0
		settle := func(word []byte) {
			if entries++; c.changes {
				word[0] = byte(entries)
			}
		}
		call, err := keeper{settle: settle}.Prepare(&invocations.Invocation{Function: "f"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(call.Close)
		s, _ := scriptedSession(nil, invocations.Measure{})
		s.call = call
		if s.timer, s.clock, err = timers.New(call.Work, &s.inv.Measure, native.CalibrateClock(calibration)); err != nil {
			t.Fatal(err)
		}
		s.instruments.clock = s.clock
		if err := s.RunOnce(); err != nil {
			t.Fatal(err)
		}
		const pairs = wear.Brief + 1
		why, err := s.compare(s.changed(), &invocations.Result{}, s.wears, pairs, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		const batches = 5                      // of a side, see wear.Look
		const each = 2 * pairs * (1 + batches) // at most: a batch that the machine disturbs may be the last of its side
		looks := 1
		if entries > each+1 {
			looks = 2
		}
		disturbed := why != "" && looks == 1 // the machine has slowed one side of all pairs: no second look follows
		if looks != c.looks && !disturbed || entries > c.looks*each+1 {
			t.Errorf("%+v: %d entries of the timer", c, entries)
		}
	}
}

// Without room for both contents, nothing is compared, and the row says so: an executor that exceeds its limit would be
// killed for what nobody has asked for.
func TestNoRoomToCompare(t *testing.T) {
	call, err := keeper{}.Prepare(&invocations.Invocation{Function: "f"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(call.Close)
	for _, c := range []struct {
		restore         invocations.When
		later, thorough bool
		noted           bool
	}{
		{"", false, false, true}, {invocations.WhenAuto, false, false, true}, {invocations.WhenNever, false, false, false},
		{"", true, false, false}, {"", true, true, true},
	} {
		s, _ := scriptedSession(nil, invocations.Measure{Restore: c.restore})
		s.call = call
		m := &wire.Execute{Invocation: *s.inv, Trusted: c.later, Thorough: c.thorough}
		r := invocations.Result{Batches: invocations.Batches{SamplesNS: []float64{1}}}
		if err := s.measureFresh(m, noise.Levels{}, &r, 10); err != nil || r.Restored {
			t.Errorf("%+v: restored %t, %v", c, r.Restored, err)
		}
		noted := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "is not known: it takes 0 MiB more")
		if noted != c.noted || !noted && len(r.Notes) > 0 {
			t.Errorf("%+v: %q", c, r.Notes)
		}
	}
}
