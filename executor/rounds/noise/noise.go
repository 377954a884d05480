// Package noise tells by probes of the core, of shared caches and of memory whether anybody else worked beside a batch.
package noise

import (
	"math"
	"slices"

	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// Levels are the canary's best levels on this machine; 0 means not known. See invocations.Canary for their units.
type Levels struct{ Ports, Memory float64 }

// Probes is one run of the canary: the state of the core and, if the function's data goes beyond the core, the state of
// the shared caches and memory.
type Probes struct {
	native.Probe
	Memory float64 // ns; 0 if it is not probed
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

// Learner is what a launch knows about how quiet the machine can be, and how quiet it was. It learns each time that
// the number of probes has doubled, from at most mostProbes of them: a quantile of so many is as good as that of all,
// and a launch of a minute has a million.
type Learner struct {
	known  Levels // from earlier launches
	slack  float64
	all    *stats.Thinned[Probes]
	learns int64        // number of probes at which it learns next
	ghz    float64      // the launch's clock: the median of all probes
	here   Levels       // best levels of this launch
	enough Levels       // number of probes that they come from
	best   Levels       // the better of known and here
	sorted [3][]float64 // clocks, levels and times of probes; reused
}

// New returns what knows the best levels of earlier launches. counted says that probes count cycles.
func New(known Levels, counted bool) Learner {
	l := Learner{known: known, best: known, slack: quietTimed, all: stats.NewThinned[Probes](mostProbes), learns: firstLearned}
	if counted {
		l.slack = quietCounted
	}
	return l
}

// Add adds the probes before a batch and after it.
func (l *Learner) Add(before, after Probes) {
	l.all.Add(before)
	l.all.Add(after)
	if l.all.Seen >= l.learns {
		l.learns = 2 * l.all.Seen
		l.Learn()
	}
}

// Learn updates the clock and the best levels from the probes so far.
func (l *Learner) Learn() {
	clocks, ports, memory := l.sorted[0][:0], l.sorted[1][:0], l.sorted[2][:0]
	for _, p := range l.all.Kept {
		clocks = append(clocks, p.GHz)
	}
	slices.Sort(clocks)
	l.ghz = stats.Quantile(clocks, 0.5)
	for _, p := range l.all.Kept {
		if math.Abs(p.GHz/l.ghz-1) < sameClock {
			ports = append(ports, p.Ports)
		}
		if p.Memory > 0 {
			memory = append(memory, p.Memory)
		}
	}
	learnLevel(ports, l.known.Ports, &l.here.Ports, &l.best.Ports)
	learnLevel(memory, l.known.Memory, &l.here.Memory, &l.best.Memory)
	l.enough = Levels{float64(len(ports)), float64(len(memory))}
	l.sorted = [3][]float64{clocks, ports, memory}
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
func (l *Learner) tells(p Probes) bool { return p.GHz > oddClock*l.ghz }

// Disturbance is what disturbed a batch, as far as the probes and the system show it.
type Disturbance int

const (
	None         Disturbance = iota
	Interrupted              // the thread was taken off its CPU
	SharedCore               // the probe took more cycles
	SharedCaches             // loads from beyond the core took longer
	SlowClock                // no probe ran at the launch's clock
)

// Of returns what disturbed a batch, by the probes before and after it.
func (l *Learner) Of(before, after Probes) Disturbance {
	ports, memory := l.slack*l.best.Ports, quietMemory*l.best.Memory
	switch {
	case l.best.Ports == 0:
		return None
	case l.tells(before) && before.Ports > ports, l.tells(after) && after.Ports > ports:
		return SharedCore
	case memory > 0 && max(before.Memory, after.Memory) > memory:
		return SharedCaches
	case !l.tells(before) && !l.tells(after):
		return SlowClock
	}
	return None
}

// Clock returns the core's clock during a batch and the level of the probes before and after it. It returns those of the
// launch if neither probe shows them.
func (l *Learner) Clock(before, after Probes) (ghz, ports float64) {
	n := 0.0
	for _, p := range []Probes{before, after} {
		if l.tells(p) {
			ghz, ports, n = ghz+p.GHz, ports+p.Ports, n+1
		}
	}
	if n == 0 {
		return l.ghz, l.here.Ports
	}
	return ghz / n, ports / n
}

// Report fills in the launch's best levels, if enough probes show them.
func (l *Learner) Report(c *invocations.Canary) {
	if l.enough.Ports >= fewestProbes {
		c.Ports = l.here.Ports
	}
	if l.enough.Memory >= fewestProbes {
		c.Memory = l.here.Memory
	}
}

// Account counts n batches that were disturbed so.
func (d Disturbance) Account(c *invocations.Canary, n int64) {
	c.Batches += n
	switch d {
	case None:
		c.Quiet += n
	case Interrupted:
		c.Interrupted += n
	case SharedCore:
		c.Core += n
	case SharedCaches:
		c.Caches += n
	case SlowClock:
		c.Slow += n
	}
}
