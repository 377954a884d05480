package native

import (
	"math"
	"slices"

	"zonemark/invocations/stats"
)

// A canary is work of known cost that runs between the batches of a measurement. It shows what a guest of a shared
// machine cannot see otherwise: that the core's other hardware thread is busy with other work, or that the core's clock
// has changed.
//
// It has two parts. A chain of dependent additions takes one cycle for each on every processor in use, whatever shares
// the core, so that its time shows the clock. Rounds of independent additions and loads need all ports of the core at
// once: they take longer, in cycles, as soon as the other hardware thread is busy.
const (
	chainRounds = 600 // of eight additions: 4,800 cycles, about 1.4 µs
	portsRounds = 700 // about 1,200 cycles

	wakeRounds = 16

	chainCycles = 8 * chainRounds
	// canaryTicks is how many ticks the shorter part must take at least. With fewer, an error of one tick is as large
	// as what the part looks for.
	canaryTicks = 200
	// overheadPairs is how many pairs of chains the overhead comes from. What is left of its error is the same for all
	// probes of an executor, so it moves the clock of a whole launch: by 1 part in 2,000 where the counter goes in steps
	// of 26 ticks, and with a quarter of these pairs, each begun right after the other one, by 1 in 400.
	overheadPairs = 400
	// overheadSteps is by how many steps of the counter a pair may differ from the median of all. Others were interrupted.
	overheadSteps = 4
	// overheadShift is how many rounds more each chain in turn has before it, so that the counter's steps fall anywhere.
	overheadShift = 37
)

// Canary runs probes on the calling thread. Its zero value is not usable; see NewCanary.
type Canary struct {
	ticksPerNS float64
	overhead   float64 // ticks of a chain without additions
	line       *[8]uint64
	cycles     uintptr // page of the counter of cycles; 0 if cycles are not counted
	reading    float64 // cycles that two readings of the counter take
}

// Probe is the result of one run of the canary.
type Probe struct {
	GHz   float64 // clock of the core
	Ports float64 // cycles of a round of additions and loads
}

// NewCanary returns a canary for a clock, or nil if the clock is too coarse for one.
func NewCanary(clock Clock) *Canary {
	if !clock.counts() {
		return nil
	}
	c := &Canary{ticksPerNS: clock.TicksPerNS, line: new([8]uint64)}
	ones, twos := make([]float64, overheadPairs), make([]float64, overheadPairs)
	shorter := math.Inf(1)
	for i := range ones {
		shorter = min(shorter, float64(ports(portsRounds, c.line)))
		chain(uint64(1 + i%overheadShift))
		ones[i] = float64(chain(overheadRounds))
		chain(uint64(1 + 2*i%overheadShift))
		twos[i] = float64(chain(2 * overheadRounds))
	}
	if shorter < canaryTicks {
		return nil
	}
	c.overhead = chainOverhead(ones, twos)
	return c
}

// overheadRounds are those of the shorter chains that the overhead comes from.
const overheadRounds = 150

// chainOverhead returns the ticks of a chain without additions, by pairs of chains of which one is twice as long as the
// other: the difference does not contain the reading of the counter. Each pair was made at one clock of the core. The
// mean is finer than the counter's step, and knows nothing of the pairs that were interrupted.
func chainOverhead(ones, twos []float64) float64 {
	overheads := make([]float64, len(ones))
	for i := range ones {
		overheads[i] = 2*ones[i] - twos[i]
	}
	return max(0, stats.MeanNearMedian(overheads, overheadSteps*max(2, counterStep(ones))))
}

// counterStep returns the least difference between ticks of equal work: 1 or 2 on most processors, and 26 on one whose
// counter is made of a clock of 100 MHz; 0 if all are equal.
func counterStep(ticks []float64) float64 {
	sorted := slices.Compact(slices.Sorted(slices.Values(ticks)))
	step := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		step = min(step, sorted[i]-sorted[i-1])
	}
	if math.IsInf(step, 1) {
		return 0
	}
	return step
}

// Probe runs both parts, which takes less than two microseconds. Before, it makes a few rounds of each to bring back
// what the work before has evicted from the caches.
func (c *Canary) Probe() Probe {
	ports(wakeRounds, c.line)
	chain(wakeRounds)
	before := cyclesAt(c.cycles)
	portsTicks := ports(portsRounds, c.line)
	counted := cyclesAt(c.cycles) - before
	return c.probeOf(portsTicks, chain(chainRounds), counted)
}

// Clock returns the clock of the core in GHz. It makes scalar additions only.
func (c *Canary) Clock() float64 {
	chain(wakeRounds)
	return c.clockOf(chain(chainRounds))
}

// clockOf returns the clock of the core by the ticks of a chain.
func (c *Canary) clockOf(chainTicks uint64) float64 {
	return chainCycles * c.ticksPerNS / (float64(chainTicks) - c.overhead)
}

// probeOf returns the probe of these ticks of the two parts. counted are the cycles around the rounds of additions and
// loads, if they are counted.
func (c *Canary) probeOf(portsTicks, chainTicks, counted uint64) Probe {
	t := float64(chainTicks) - c.overhead
	p := Probe{GHz: c.clockOf(chainTicks)}
	if c.cycles != 0 {
		p.Ports = (float64(int64(counted)) - c.reading) / portsRounds
	} else {
		p.Ports = (float64(portsTicks) - c.overhead) * chainCycles / t / portsRounds
	}
	return p
}

// CountCycles makes probes count the cycles of their rounds, by the perf event page of that counter (see
// Counters.Pages). Otherwise they derive the cycles from the chain's time.
func (c *Canary) CountCycles(page uintptr) {
	c.cycles, c.reading = page, math.Inf(1)
	for range 20 {
		before := cyclesAt(page)
		c.reading = min(c.reading, float64(int64(cyclesAt(page)-before)))
	}
}

// CountsCycles reports whether probes count cycles. It returns false for a nil canary.
func (c *Canary) CountsCycles() bool { return c != nil && c.cycles != 0 }
