package rounds

import (
	"time"

	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// canaryProbes are probes of the core between the entries of a timer, and of the shared caches and memory if the
// workload's data goes beyond the core. The probes after an entry are those before the one that follows right after it.
type canaryProbes struct {
	around surroundings
	core   *native.Canary
	memory *native.MemoryCanary // nil if the data fits into the core's own caches
	last   noise.Probes         // after the latest entry
	ended  time.Time            // when they ended
}

// watchMemory has the probes show the state of shared caches and memory, too.
func (c *canaryProbes) watchMemory(clock native.Clock) { c.memory = native.NewMemoryCanary(clock) }

func (c *canaryProbes) close() {
	if c != nil && c.memory != nil {
		_ = c.memory.Close() // unmaps our own memory
	}
}

// countsCycles reports whether the probes count cycles; false without a canary.
func (c *canaryProbes) countsCycles() bool { return c != nil && c.core.CountsCycles() }

func (c *canaryProbes) probe() noise.Probes { return c.around.probe(c.core, c.memory) }

func (c *canaryProbes) begin(e *entry) error {
	switch {
	case e.empty:
	case rightAfter(c.ended, c.around):
		e.seen.before = c.last
	default:
		e.seen.before = c.probe()
	}
	return nil
}

func (c *canaryProbes) end(e *entry) {
	if e.empty {
		return
	}
	e.seen.after = c.probe()
	c.last, c.ended = e.seen.after, c.around.now()
}

// report enters the clock of the core and, if none were counted, the cycles of the batches by that clock.
func (c *canaryProbes) report(s *sampling, r *invocations.Result, kept []*batch) {
	clocks, ports, cycles := make([]float64, len(kept)), make([]float64, len(kept)), make([]float64, len(kept))
	for i, b := range kept {
		clocks[i], ports[i] = s.quiet.Clock(b.before, b.after)
		cycles[i] = r.SamplesNS[i] * clocks[i]
	}
	if len(kept) == 0 {
		return
	}
	r.Canary.KeptPorts, r.Canary.GHz = stats.Median(ports), stats.Typical(clocks)
	if s.quiet.Report(&r.Canary); !r.CyclesCounted {
		r.CyclesSamples = cycles
	}
}
