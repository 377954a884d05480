package native

import (
	"slices"
	"testing"
	"time"
)

func TestCanary(t *testing.T) {
	clock := CalibrateClock(5 * time.Millisecond)
	c := NewCanary(clock)
	if c == nil {
		if clock.Name == "tsc" {
			t.Error("the time-stamp counter is too coarse for probes")
		}
		t.Skipf("the clock %s is too coarse for probes", clock.Name)
	}
	for range 100 {
		p := c.Probe()
		// An interruption makes a part longer, never shorter.
		if !(p.GHz > 0 && p.GHz < 10) || !(p.Ports > 0) {
			t.Fatalf("%+v", p)
		}
	}
}

// TestProbesAgree checks that the median probe shows a possible clock, and that a round of the second part takes some
// cycles.
func TestProbesAgree(t *testing.T) {
	c := NewCanary(CalibrateClock(5 * time.Millisecond))
	if c == nil {
		t.Skip("the clock is too coarse for probes")
	}
	var clocks, levels []float64
	for range 301 {
		p := c.Probe()
		clocks, levels = append(clocks, p.GHz), append(levels, p.Ports)
	}
	if ghz := middle(clocks); ghz < 0.1 || ghz > 10 {
		t.Errorf("a clock of %g GHz", ghz)
	}
	if level := middle(levels); level < 0.5 || level > 50 {
		t.Errorf("a round of additions and loads takes %g cycles", level)
	}
}

func middle(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

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
