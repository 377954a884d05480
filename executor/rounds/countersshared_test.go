package rounds

import (
	"errors"
	"slices"
	"testing"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
)

// madeUpCounters are counters with one event in each pass. Only the event of the pass that was selected last counts:
// one for each call of tick.
type madeUpCounters struct {
	names   []string // of the passes
	pass    int
	inherit bool
	count   uint64 // since Select
	fails   error  // of Select
}

func (c *madeUpCounters) tick() { c.count++ }

func (c *madeUpCounters) Passes() int { return len(c.names) }

func (c *madeUpCounters) Select(pass int, inherit bool) error {
	c.pass, c.inherit, c.count = pass, inherit, 0
	return c.fails
}

func (c *madeUpCounters) Selected() []native.Event { return []native.Event{{Name: c.names[c.pass]}} }

func (c *madeUpCounters) Pages() []uintptr { return nil }

func (c *madeUpCounters) Read(into []uint64) error {
	into[0] = c.count
	return nil
}

// counting returns a session of calls of which each ticks once, counted from outside in a pass.
func countingSession(t *testing.T, c *madeUpCounters, pass int, m invocations.Measure) *Session {
	t.Helper()
	call := callOf(&executor.Function{Invoke: func() error {
		c.tick()
		for start := time.Now(); time.Since(start) < 5*time.Microsecond; {
		}
		return nil
	}})
	s, err := newSession(&invocations.Invocation{Measure: m}, call,
		&Instruments{around: system{}, clock: native.MonotonicClock(), counters: c})
	if err != nil {
		t.Fatal(err)
	}
	s.watch.counts.pass = pass
	return s
}

func countOf(r invocations.Result, name string) float64 {
	i := slices.IndexFunc(r.Counters, func(c invocations.Count) bool { return c.Name == name })
	if i < 0 {
		return -1
	}
	return r.Counters[i].PerCall
}

// Two sessions that wait for each other's rounds count different events. The second one's used to stop those of the
// first.
func TestSessionsShareCounters(t *testing.T) {
	c := &madeUpCounters{names: []string{"loads", "stores"}}
	m := invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e5, MaxTimeNS: 1e9}
	first, second := countingSession(t, c, 0, m), countingSession(t, c, 1, m)
	for round := range 2 {
		for k, s := range []*Session{first, second} {
			r, err := s.measureRound(noise.Levels{})
			if err != nil {
				t.Fatal(err)
			}
			if name := c.names[k]; countOf(r, name) != 1 || c.pass != k {
				t.Errorf("round %d: %s counted %v a call, pass %d is selected", round, name, countOf(r, name), c.pass)
			}
		}
	}
	c.fails = errors.New("another program has the counters")
	r, err := first.measureRound(noise.Levels{})
	if err != nil || countOf(r, "loads") != -1 {
		t.Errorf("counters that do not start count %v, %v", r.Counters, err)
	}
}

// The calls before a batch are not counted if events are counted around the entries of the timer, whoever asks for them:
// steps used to switch them on again, and counts were those of a call more.
func TestPreludeIsNotCounted(t *testing.T) {
	c := &madeUpCounters{names: []string{"loads"}}
	s := countingSession(t, c, 0, invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e5, MaxTimeNS: 1e9})
	for round := range 3 {
		if round > 0 {
			s.usePrelude() // as a round of steps does
		}
		r, err := s.measureRound(noise.Levels{})
		if err != nil || s.prelude != 1 {
			t.Fatalf("prelude of %d calls, %v", s.prelude, err)
		}
		if got := countOf(r, "loads"); got != 1 {
			t.Errorf("round %d: %v loads a call, want 1", round, got)
		}
	}
}

// Cycles of several threads are a count like others, and not cycles of the core: eight threads used to have a clock of
// 28 GHz, and eight times the time at the reference clock.
func TestCyclesOfAllThreads(t *testing.T) {
	c := &madeUpCounters{names: []string{cyclesEvent}}
	for _, threads := range []bool{false, true} {
		s := countingSession(t, c, 0, invocations.Measure{Mode: invocations.Warm, MinTimeNS: 1e5, MaxTimeNS: 1e9})
		s.watch.threads.around = &script{} // other tests of this process work, too
		if s.watch.threads.known = true; threads {
			s.watch.threads.found = threadsWork
		}
		r, err := s.measureRound(noise.Levels{})
		if err != nil {
			t.Fatal(err)
		}
		if c.inherit != threads || r.CyclesCounted == threads || (r.Canary.GHz > 0) == threads {
			t.Errorf("threads %t: cycles of all %t, %d cycles of the core, counted %t, at %g GHz",
				threads, c.inherit, len(r.CyclesSamples), r.CyclesCounted, r.Canary.GHz)
		}
		if got, want := countOf(r, cyclesEvent), map[bool]float64{false: -1, true: 1}[threads]; got != want {
			t.Errorf("threads %t: %v cycles a call, want %v", threads, got, want)
		}
	}
}
