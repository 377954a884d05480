package rounds

import (
	"math"
	"slices"

	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// levels are the canary's best levels on this machine; 0 means not known. See invocations.Canary for their units.
type levels struct{ ports, memory float64 }

// probes is one run of the canary: the state of the core and, if the function's data goes beyond the core, the state of
// the shared caches and memory.
type probes struct {
	native.Probe
	memory float64 // ns; 0 if it is not probed
}

const (
	// The probes around a quiet batch are at most this factor above the machine's best level. quietCounted holds for
	// levels from counted cycles. quietTimed holds for levels from times, if cycles cannot be counted: those vary by
	// what half a microsecond can show. quietMemory holds for probes of shared caches, which vary by a third of their
	// value; above it, the times of functions that use those caches rise as well.
	quietCounted = 1.02
	quietTimed   = 1.05
	quietMemory  = 1.6
	bestShare    = 0.1 // share of probes that are better than the best level of a launch; a few are better by accident
	fewestProbes = 100 // a launch with fewer probes says nothing about the machine's best level
	firstLearned = 20  // probes; then at twice as many, and so on
	mostProbes   = 1 << 14
	sameClock    = 0.05 // the best level comes from probes this near to the launch's clock, relatively
	// oddClock is a factor of the launch's clock. A probe whose chain ran slower was interrupted itself, or the core
	// changed its clock during it; such a probe shows nothing.
	oddClock = 0.85
)

// quietness is what a launch knows about how quiet the machine can be, and how quiet it was. It learns each time that
// the number of probes has doubled, from at most mostProbes of them: a quantile of so many is as good as that of all,
// and a launch of a minute has a million.
type quietness struct {
	known  levels // from earlier launches
	slack  float64
	all    *stats.Thinned[probes]
	learns int64        // number of probes at which it learns next
	ghz    float64      // the launch's clock: the median of all probes
	here   levels       // best levels of this launch
	enough levels       // number of probes that they come from
	best   levels       // the better of known and here
	sorted [3][]float64 // clocks, levels and times of probes; reused
}

func newQuietness(known levels, canary *canaryProbes) quietness {
	q := quietness{known: known, best: known, slack: quietTimed, all: stats.NewThinned[probes](mostProbes), learns: firstLearned}
	if canary.countsCycles() {
		q.slack = quietCounted
	}
	return q
}

func (q *quietness) add(before, after probes) {
	q.all.Add(before)
	q.all.Add(after)
	if q.all.Seen >= q.learns {
		q.learns = 2 * q.all.Seen
		q.learn()
	}
}

// learn updates the clock and the best levels from the probes so far.
func (q *quietness) learn() {
	clocks, ports, memory := q.sorted[0][:0], q.sorted[1][:0], q.sorted[2][:0]
	for _, p := range q.all.Kept {
		clocks = append(clocks, p.GHz)
	}
	slices.Sort(clocks)
	q.ghz = stats.Quantile(clocks, 0.5)
	for _, p := range q.all.Kept {
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
	q.sorted = [3][]float64{clocks, ports, memory}
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

// tells reports whether a probe shows how busy the core is.
func (q *quietness) tells(p probes) bool { return p.GHz > oddClock*q.ghz }

// disturbance is what disturbed a batch, as far as the probes and the system show it.
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
	case b.interrupted && !s.watch.threads.takeTurns():
		return interrupted
	case s.watch.canary == nil || q.best.ports == 0:
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

// clock returns the core's clock during a batch and the level of the probes around it. It returns those of the launch
// if neither probe shows them.
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

// report fills in the launch's best levels, if enough probes show them.
func (q *quietness) report(c *invocations.Canary) {
	if q.enough.ports >= fewestProbes {
		c.Ports = q.here.ports
	}
	if q.enough.memory >= fewestProbes {
		c.Memory = q.here.memory
	}
}

// account counts n batches by what disturbed them.
func account(c *invocations.Canary, what disturbance, n int64) {
	c.Batches += n
	switch what {
	case nothing:
		c.Quiet += n
	case interrupted:
		c.Interrupted += n
	case sharedCore:
		c.Core += n
	case sharedCaches:
		c.Caches += n
	case slowClock:
		c.Slow += n
	}
}
