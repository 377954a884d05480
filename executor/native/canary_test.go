package native

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestProbeOf checks what a probe makes of ticks and cycles. The clock has 2 ticks a nanosecond; 40 ticks of each part
// and 30 cycles are those of reading.
func TestProbeOf(t *testing.T) {
	for _, c := range []struct {
		name                string
		page                uintptr
		ports, chain, count uint64
		want                Probe
	}{
		{"3 GHz, 3 cycles a round", 0, 40 + 1400, 40 + chainCycles*2/3, 0, Probe{3, 3}},
		{"half the clock", 0, 40 + 2800, 40 + chainCycles*4/3, 0, Probe{1.5, 3}},
		{"the other hardware thread is busy", 0, 40 + 2800, 40 + chainCycles*2/3, 0, Probe{3, 6}},
		{"counted", 1, 99_999, 40 + chainCycles*2/3, 30 + 2100, Probe{3, 3}},
		{"counted, while the chain was interrupted", 1, 99_999, 40 + chainCycles*20/3, 30 + 2100, Probe{0.3, 3}},
	} {
		canary := &Canary{ticksPerNS: 2, overhead: 40, cycles: c.page, reading: 30}
		got := canary.probeOf(c.ports, c.chain, c.count)
		if math.Abs(got.GHz/c.want.GHz-1) > 1e-9 || math.Abs(got.Ports/c.want.Ports-1) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestPartsOfProbes checks that the parts of a probe do their work: sixteen times the rounds take about sixteen times
// as long. The shortest of many tries counts, since an interruption makes a part longer, never shorter.
func TestPartsOfProbes(t *testing.T) {
	clock := CalibrateClock(5 * time.Millisecond)
	if !clock.counts() {
		t.Skipf("the clock %s is too coarse for probes", clock.Name)
	}
	var line [8]uint64
	for name, part := range map[string]func(rounds uint64) uint64{
		"chain": chain,
		"ports": func(rounds uint64) uint64 { return ports(rounds, &line) },
	} {
		one, sixteen := leastTicks(func() uint64 { return part(500) }), leastTicks(func() uint64 { return part(8000) })
		if ratio := sixteen / one; !(ratio > 8 && ratio < 32) {
			t.Errorf("%s: 500 rounds take %g ticks, 8,000 take %g", name, one, sixteen)
		}
	}
}

// leastTicks returns the least number of ticks of many tries.
func leastTicks(part func() uint64) float64 {
	least := math.Inf(1)
	for range 1000 {
		least = min(least, float64(part()))
	}
	return least
}

// TestCanary checks that probes are numbers, and that the overhead which they subtract is not most of what they see.
func TestCanary(t *testing.T) {
	clock := CalibrateClock(5 * time.Millisecond)
	c := NewCanary(clock)
	if c == nil {
		if clock.Name == "tsc" {
			t.Error("the time-stamp counter is too coarse for probes")
		}
		t.Skipf("the clock %s is too coarse for probes", clock.Name)
	}
	one := leastTicks(func() uint64 { return chain(chainRounds) })
	if !(c.overhead >= 0 && c.overhead < one/2) {
		t.Errorf("an overhead of %g ticks; a chain takes %g", c.overhead, one)
	}
	for range 100 {
		if p := c.Probe(); !(p.GHz > 0 && p.Ports > 0) || math.IsInf(p.GHz, 0) || math.IsInf(p.Ports, 0) {
			t.Fatalf("%+v", p)
		}
	}
}

// TestNoCanary uses the system's clock, which is too coarse: a probe takes less than a microsecond.
func TestNoCanary(t *testing.T) {
	for _, clock := range []Clock{MonotonicClock(), {}, {Name: "monotonic", TicksPerNS: 1}} {
		if NewCanary(clock) != nil {
			t.Errorf("probes by the clock %q", clock.Name)
		}
	}
	if counterName != "" && NewCanary(Clock{Name: "other " + counterName, TicksPerNS: 1}) != nil {
		t.Error("probes by a clock that is not the loop's counter")
	}
}

// TestChainOverhead makes canaries on a core with a steady clock whose counter has steps of 2 or 26 ticks, and which
// other work interrupts now and then: the clocks that they see differ by less than one in a thousand or in 250. They used
// to differ by one in a hundred, since the shortest of few chains decided by how much the steps of the counter were off.
func TestChainOverhead(t *testing.T) {
	for step, limit := range map[float64]float64{2: 1.001, 26: 1.004} {
		random := rand.New(rand.NewPCG(1, 2))
		const reading, ticksPerCycle = 40.7, 0.6501
		ticks := func(cycles float64) float64 {
			n := step * math.Floor((reading+random.NormFloat64()+cycles*ticksPerCycle)/step+random.Float64())
			if random.IntN(20) == 0 {
				n += 200 * step
			}
			return n
		}
		least, most := math.Inf(1), 0.0
		for range 500 {
			var ones, twos []float64
			for range overheadPairs {
				ones, twos = append(ones, ticks(8*overheadRounds)), append(twos, ticks(2*8*overheadRounds))
			}
			c := Canary{ticksPerNS: 2.6, overhead: chainOverhead(ones, twos)}
			ghz := c.probeOf(1000, uint64(math.Round(reading+chainCycles*ticksPerCycle)), 0).GHz
			least, most = min(least, ghz), max(most, ghz)
		}
		if most > limit*least {
			t.Errorf("steps of %g ticks: clocks from %g to %g GHz", step, least, most)
		}
	}
}
