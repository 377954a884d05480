package rounds

import (
	"math"
	"strings"
	"testing"

	"zonemark/executor/native"
	"zonemark/executor/rounds/wear"
	"zonemark/executor/timers"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// choice notes which contents a timer finds.
type choice struct{ worn bool }

func (c *choice) UseWorn(worn bool) { c.worn = worn }

// TestWornPairs measures pairs in a script: the sides alternate, and long calls have few pairs.
func TestWornPairs(t *testing.T) {
	for _, c := range []struct {
		name        string
		worn, fresh float64 // ns of a call
		pairs       int
	}{
		{"short", 500, 100_000, wear.Most}, {"equal", 20_000, 20_000, wear.Most},
		{"a millisecond", 1e3, 20e6, 5}, {"long", 300e6, 400e6, 2}, {"very long", 1e6, 100e9, 1},
	} {
		contents := &choice{}
		var order []bool
		s, timer := scriptedSession(func(_, calls int64) float64 {
			order = append(order, contents.worn)
			if contents.worn {
				return c.worn * float64(calls)
			}
			return c.fresh * float64(calls)
		}, invocations.Measure{})
		pairs, err := s.wornPairs(contents, timer, 1, wear.Most)
		if err != nil || len(pairs) != c.pairs {
			t.Errorf("%s: %d pairs, %v; want %d", c.name, len(pairs), err, c.pairs)
		}
		for _, p := range pairs {
			if p != (wear.Pair{WornNS: c.worn, FreshNS: c.fresh}) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if first, last := order[0], order[len(order)-1]; len(pairs)%2 == 0 && first != last {
			t.Errorf("%s: a side is always the first", c.name)
		}
	}
}

// TestShortWornPairs: a long call counts at once, and others after one that brings back the caches. In a short launch,
// shorter calls are long.
func TestShortWornPairs(t *testing.T) {
	for _, c := range []struct {
		short bool
		most  int
		ns    float64
		calls int // of a side
	}{
		{true, wear.Brief, 110_000, 1}, {true, wear.Brief, 60_000, 3}, {true, wear.Most, 110_000, 1},
		{true, wear.Most, 60_000, 3}, {false, wear.Most, 110_000, 2}, {false, wear.Most, 21_000_000, 1},
	} {
		made := 0
		s, timer := scriptedSession(func(_, calls int64) float64 {
			made += int(calls)
			return c.ns * float64(calls)
		}, invocations.Measure{})
		s.short = c.short
		pairs, err := s.wornPairs(&choice{}, timer, 1, c.most)
		if err != nil || len(pairs) < 2 || made != 2*c.calls*len(pairs) {
			t.Errorf("%+v: %d pairs in %d calls; %v", c, len(pairs), made, err)
		}
	}
}

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
		if _, err := s.wear(s.changed(), &invocations.Result{}, wear.Brief, math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		const each = 2 * wear.Brief * (1 + wornBatches)
		if want := c.looks*each + 1; entries != want {
			t.Errorf("%+v: %d entries of the timer, want %d", c, entries, want)
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
		restore         invocations.Restore
		later, thorough bool
		noted           bool
	}{
		{"", false, false, true}, {invocations.RestoreAuto, false, false, true}, {invocations.RestoreNever, false, false, false},
		{"", true, false, false}, {"", true, true, true},
	} {
		s, _ := scriptedSession(nil, invocations.Measure{Restore: c.restore})
		s.call = call
		m := &wire.Execute{Invocation: *s.inv, Trusted: c.later, Thorough: c.thorough}
		r := invocations.Result{SamplesNS: []float64{1}}
		if err := s.measureRestored(m, levels{}, &r, 10); err != nil || r.Restored {
			t.Errorf("%+v: restored %t, %v", c, r.Restored, err)
		}
		noted := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "is not known: it takes 0 MiB more")
		if noted != c.noted || !noted && len(r.Notes) > 0 {
			t.Errorf("%+v: %q", c, r.Notes)
		}
	}
}
