package rounds

import (
	"math"
	"testing"
	"time"

	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// TestOwnClock measures functions that lower the clock of their core, and others, while neighbours change it, too.
func TestOwnClock(t *testing.T) {
	long := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 50e6, MaxTimeNS: 500e6}
	brief := long
	brief.MinTimeNS = 6e6
	briefer := long
	briefer.MinTimeNS = 1e6
	for _, c := range []struct {
		name    string
		measure invocations.Measure
		ns      float64 // of a call
		lowers  float64
		ghz     func(ns float64) float64
		looks   bool
	}{
		{name: "scalar code", measure: long, ns: 100, looks: true},
		{name: "wide vectors", measure: long, ns: 100, lowers: 0.07, looks: true},
		{name: "wide vectors in a short launch", measure: brief, ns: 100, lowers: 0.07, looks: true},
		{name: "a launch that is shorter than the looks", measure: briefer, ns: 100, lowers: 0.07},
		{
			name: "a limit that is shorter than the looks", ns: 100, lowers: 0.07,
			measure: invocations.Measure{MinTimeNS: 250e6, MaxTimeNS: 1e6},
		},
		{name: "calls of 30 ms", measure: long, ns: 30e6, lowers: 0.2, looks: true},
		{
			name: "wide vectors, while neighbours go to sleep", measure: long, ns: 100, lowers: 0.07, looks: true,
			ghz: func(ns float64) float64 { return 3 + 0.1*math.Floor(ns/40e6) },
		},
		{
			name: "scalar code, while neighbours wake up", measure: long, ns: 100, looks: true,
			ghz: func(ns float64) float64 { return 3 - 0.1*math.Floor(ns/40e6) },
		},
	} {
		s, around := scriptedLaunch(steps(step{0, c.ns}), c.measure)
		around.lowers, around.ghz = c.lowers, c.ghz
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if looked := r.Canary.OwnClock > 0 && r.Canary.ScalarGHz > 0; looked != c.looks {
			t.Errorf("%s: own clock %g, scalar code at %g GHz", c.name, r.Canary.OwnClock, r.Canary.ScalarGHz)
		}
		if c.looks && math.Abs(r.Canary.OwnClock-(1-c.lowers)) > 0.002 {
			t.Errorf("%s: own clock %g, want %g", c.name, r.Canary.OwnClock, 1-c.lowers)
		}
		if c.ghz == nil && c.looks && math.Abs(r.Canary.ScalarGHz-3) > 1e-9 {
			t.Errorf("%s: scalar code at %g GHz, want 3", c.name, r.Canary.ScalarGHz)
		}
	}
}

// TestStops: a launch tells by how much stops lengthen batches of the length of its own. The looks before and after them
// count alike.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		ns, least, most float64 // of a call, and of a batch
	}{{100, 50e3, 400e3}, {3e6, 3e6, 3e6}} {
		s, around := scriptedLaunch(steps(step{0, c.ns}), invocations.Measure{MinTimeNS: 100e6, MaxTimeNS: 1e9})
		share := 0.0
		around.stops = func(batchNS float64) float64 {
			if batchNS < 0.99*c.least || batchNS > 1.01*c.most {
				t.Errorf("calls of %g ns: a look for batches of %g ns", c.ns, batchNS)
			}
			share += 0.01
			return share
		}
		r, err := s.measureRound(noise.Levels{})
		if err != nil || math.Abs(r.Canary.Stops-0.015) > 1e-9 {
			t.Errorf("calls of %g ns: %v, stops lengthen batches by %g", c.ns, err, r.Canary.Stops)
		}
	}
}

// TestNoOwnClock: nothing looks for the clock of a function whose core no canary watches.
func TestNoOwnClock(t *testing.T) {
	s, _ := scriptedSession(steps(step{0, 100}), invocations.Measure{MinTimeNS: 50e6, MaxTimeNS: 500e6})
	r, err := s.measureRound(noise.Levels{})
	if err != nil || r.Canary.OwnClock != 0 || r.Canary.ScalarGHz != 0 {
		t.Errorf("%v, %+v", err, r.Canary)
	}
}

// TestSettleClock: calls that do not count come between scalar work and the first batch, for as long as cores take to
// change their clock.
func TestSettleClock(t *testing.T) {
	s, around := scriptedLaunch(steps(step{0, 100}), invocations.Measure{})
	s.calls, s.batches = 1000, 1
	if err := s.settleClock(); err != nil || around.ns < float64(settling) {
		t.Errorf("%v after %g ms", err, around.ns/1e6)
	}
}

// TestSettleInTurn: in turns, a side makes its own calls until the clock is theirs before its batches count. Where
// nobody else has had the core, a window is enough.
func TestSettleInTurn(t *testing.T) {
	for _, inTurns := range []bool{false, true} {
		s, around := scriptedLaunch(steps(step{0, 10}), invocations.Measure{})
		s.calls, s.batches, s.inTurns = 1000, 1, inTurns // nine batches are 90 µs
		if err := s.warmAgain(); err != nil {
			t.Fatal(err)
		}
		if settled := around.ns >= float64(settling); settled != inTurns {
			t.Errorf("in turns %t: %g ms of calls before the first batch", inTurns, around.ns/1e6)
		}
	}
}

// TestLookInTurn: the last turn of a launch looks at the clock of scalar code, however short it is, and only after its
// batches.
func TestLookInTurn(t *testing.T) {
	for _, asked := range []bool{false, true} {
		s, around := scriptedLaunch(steps(step{0, 100}), invocations.Measure{MinTimeNS: 3e6, MaxTimeNS: 50e6})
		s.inTurns, s.scalarClock, around.lowers = true, asked, 0.07
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if own := r.Canary.OwnClock; asked && math.Abs(own-0.93) > 1e-9 || !asked && own != 0 {
			t.Errorf("asked %t: own clock %g", asked, r.Canary.OwnClock)
		}
	}
}

// TestHeldClock: a core that has just begun to work keeps the clock of wide vectors for 3.5 ms of scalar code.
func TestHeldClock(t *testing.T) {
	s, around := scriptedLaunch(steps(step{0, 100}), invocations.Measure{MinTimeNS: 50e6, MaxTimeNS: 500e6})
	around.lowers, around.holds = 0.07, 3500*time.Microsecond
	r, err := s.measureRound(noise.Levels{})
	if err != nil || math.Abs(r.Canary.OwnClock-0.93) > 1e-9 {
		t.Errorf("%v; own clock %g, want 0.93", err, r.Canary.OwnClock)
	}
}

// TestNoLookIsNoClock: a look that was given up tells nothing.
func TestNoLookIsNoClock(t *testing.T) {
	s, around := scriptedLaunch(steps(step{0, 100}), invocations.Measure{MinTimeNS: 50e6, MaxTimeNS: 500e6})
	around.busy = true
	r, err := s.measureRound(noise.Levels{})
	if err != nil || r.Canary.OwnClock != 0 || r.Canary.ScalarGHz != 0 {
		t.Errorf("%v, %+v", err, r.Canary)
	}
}

// TestShortLaunchesShareLooks: the look at scalar code between two short launches tells the clock of both, if the later one
// begins soon and on the same CPU. Each launch finds its own clock.
func TestShortLaunchesShareLooks(t *testing.T) {
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 11e6, MaxTimeNS: 20e6}
	for _, c := range []struct {
		name    string
		between func(*script)
		looks   int
	}{
		{"at once", func(*script) {}, 2},
		{"after a while", func(s *script) { s.ns += 12e6 }, 4},
		{"elsewhere", func(s *script) { s.on++ }, 4},
		{"nobody knows where", func(s *script) { s.on = -1 }, 4},
		{"others took the core from the look", func(s *script) { s.busy = s.scalars == 1 }, 3},
	} {
		around := &script{}
		var with *Instruments
		for launch, lowers := range []float64{0, 0.07, 0, 0.07} {
			around.lowers = lowers
			s := scriptedLaunchIn(around, steps(step{0, 100}), steps(step{0, emptyNS}), m)
			if s.short, s.trusted, s.scalarClock = true, true, true; with != nil {
				s.instruments = with
			}
			with = s.instruments
			r, err := s.measureRound(noise.Levels{})
			if err != nil {
				t.Fatal(err)
			}
			if own := r.Canary.OwnClock; !around.busy && math.Abs(own-(1-lowers)) > 0.002 {
				t.Errorf("%s: own clock %g of launch %d, want %g", c.name, own, launch, 1-lowers)
			}
			c.between(around)
		}
		if around.scalars != c.looks {
			t.Errorf("%s: %d looks, want %d", c.name, around.scalars, c.looks)
		}
	}
}
