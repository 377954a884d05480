package native

import "math"

// A canary is work of known cost that runs between the batches of a measurement. It shows what a guest of a shared
// machine cannot see otherwise: that the core's other hardware thread is busy with other work, or that the core's clock
// has changed.
//
// It has two parts. A chain of dependent additions takes one cycle for each on every processor in use, whatever shares
// the core, so that its time shows the clock. Rounds of independent additions and loads need all ports of the core at
// once: they take longer, in cycles, as soon as the other hardware thread is busy.
const (
	chainRounds = 150 // of eight additions: 1,200 cycles, about 0.35 µs
	portsRounds = 700 // about 1,200 cycles

	wakeRounds = 16

	chainCycles = 8 * chainRounds
	// canaryTicks is how many ticks a part must take at least. With fewer, an error of one tick is as large as what the
	// part looks for.
	canaryTicks = 200
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
	least, one := math.Inf(1), math.Inf(1)
	for range 50 { // the difference of two lengths does not contain the reading of the counter
		one = min(one, float64(chain(chainRounds)))
		least = min(least, float64(chain(2*chainRounds)))
	}
	if one < canaryTicks {
		return nil
	}
	c.overhead = max(0, 2*one-least)
	return c
}

// Probe runs both parts, which takes less than a microsecond. Before, it makes a few rounds of each to bring back what
// the work before has evicted from the caches.
func (c *Canary) Probe() Probe {
	ports(wakeRounds, c.line)
	chain(wakeRounds)
	before := cyclesAt(c.cycles)
	portsTicks := ports(portsRounds, c.line)
	counted := cyclesAt(c.cycles) - before
	return c.probeOf(portsTicks, chain(chainRounds), counted)
}

// probeOf returns the probe of these ticks of the two parts. counted are the cycles around the rounds of additions and
// loads, if they are counted.
func (c *Canary) probeOf(portsTicks, chainTicks, counted uint64) Probe {
	t := float64(chainTicks) - c.overhead
	p := Probe{GHz: chainCycles * c.ticksPerNS / t}
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
