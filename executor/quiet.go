package executor

import (
	"math"
	"slices"

	"zonemark/driver/stats"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// levels are the best levels of the canary on this machine; 0: not known. See invocations.Canary for their units.
type levels struct{ ports, memory float64 }

// probes are one run of the canary: what the core shows, and what the caches and memory beyond it show, where the function goes there.
type probes struct {
	native.Probe
	memory float64 // ns; 0 without
}

// probe runs the canary; its zero value where there is none.
func (s *session) probe() (p probes) {
	if s.canary == nil {
		return p
	}
	p.Probe = s.canary.Probe()
	if s.memory != nil {
		p.memory = s.memory.Probe()
	}
	return p
}

const (
	// quietCounted is how far above the machine's best level the probes around a quiet batch may be. Levels that are taken from times, where cycles cannot be counted,
	// waver by what half a microsecond tells. Probes of shared caches waver by a third of themselves; times of functions that go there rise with them from here on.
	quietCounted = 1.02
	quietTimed   = 1.05
	quietMemory  = 1.6
	bestShare    = 0.1  // of probes, that are better than the best level of a launch: single ones are better by accident
	fewestProbes = 100  // of a launch, below which its best level says nothing of the machine
	learnEvery   = 20   // probes
	sameClock    = 0.05 // relative distance from the launch's clock of the probes that its best level comes from
	oddClock     = 0.85 // of the launch's clock: a probe whose chain ran slower was itself interrupted, or met the core changing its clock, and says nothing
)

// quietness is what a launch knows of how quiet the machine can be, and was.
type quietness struct {
	known  levels // from launches before
	slack  float64
	all    []probes
	ghz    float64 // the launch's clock, median of all probes
	here   levels  // best ones of this launch
	enough levels  // number of probes that they come from
	best   levels  // the better ones of known and here
}

func newQuietness(known levels, canary *native.Canary) quietness {
	q := quietness{known: known, best: known, slack: quietTimed}
	if canary.CountsCycles() {
		q.slack = quietCounted
	}
	return q
}

func (q *quietness) add(before, after probes) {
	if q.all = append(q.all, before, after); len(q.all)%learnEvery == 0 {
		q.learn()
	}
}

// learn takes what the probes have shown into the clock and the best levels.
func (q *quietness) learn() {
	var clocks, ports, memory []float64
	for _, p := range q.all {
		clocks = append(clocks, p.GHz)
	}
	q.ghz = stats.Median(clocks)
	for _, p := range q.all {
		if math.Abs(p.GHz/q.ghz-1) < sameClock {
			ports = append(ports, p.Ports)
		}
		if p.memory > 0 {
			memory = append(memory, p.memory)
		}
	}
	learnLevel(ports, q.known.ports, &q.here.ports, &q.best.ports)
	learnLevel(memory, q.known.memory, &q.here.memory, &q.best.memory)
	q.enough = levels{float64(len(ports)), float64(len(memory))}
}

func learnLevel(seen []float64, known float64, here, best *float64) {
	if len(seen) == 0 {
		return
	}
	slices.Sort(seen)
	*here = stats.Quantile(seen, bestShare)
	switch {
	case known == 0:
		*best = *here
	case len(seen) >= fewestProbes:
		*best = min(known, *here)
	}
}

// tells says whether a probe shows how busy the core is.
func (q *quietness) tells(p probes) bool { return p.GHz > oddClock*q.ghz }

// disturbance is what disturbed a batch, as far as probes and the system tell.
type disturbance int

const (
	nothing      disturbance = iota
	interrupted              // the thread was taken off its CPU
	sharedCore               // the probe took more cycles
	sharedCaches             // loads from beyond the core took longer
	slowClock                // no probe ran at the launch's clock
)

func (s *sampling) disturbed(b *batch) disturbance {
	q := &s.quiet
	ports, memory := q.slack*q.best.ports, quietMemory*q.best.memory
	switch {
	case b.interrupted:
		return interrupted
	case s.canary == nil || q.best.ports == 0:
		return nothing
	case q.tells(b.before) && b.before.Ports > ports, q.tells(b.after) && b.after.Ports > ports:
		return sharedCore
	case memory > 0 && max(b.before.memory, b.after.memory) > memory:
		return sharedCaches
	case !q.tells(b.before) && !q.tells(b.after):
		return slowClock
	}
	return nothing
}

// clock is the clock of the core during a batch, and the level of the probes around it; those of the launch where no probe tells.
func (q *quietness) clock(b *batch) (ghz, ports float64) {
	n := 0.0
	for _, p := range []probes{b.before, b.after} {
		if q.tells(p) {
			ghz, ports, n = ghz+p.GHz, ports+p.Ports, n+1
		}
	}
	if n == 0 {
		return q.ghz, q.here.ports
	}
	return ghz / n, ports / n
}

// report says the launch's best levels, where enough probes show them.
func (q *quietness) report(c *invocations.Canary) {
	if q.enough.ports >= fewestProbes {
		c.Ports = q.here.ports
	}
	if q.enough.memory >= fewestProbes {
		c.Memory = q.here.memory
	}
}

// account counts a batch by what disturbed it.
func account(c *invocations.Canary, what disturbance) {
	c.Batches++
	switch what {
	case nothing:
		c.Quiet++
	case interrupted:
		c.Interrupted++
	case sharedCore:
		c.Core++
	case sharedCaches:
		c.Caches++
	case slowClock:
		c.Slow++
	}
}
