package native

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestCalibrateClock(t *testing.T) {
	c := CalibrateClock(20 * time.Millisecond)
	if reason := counterUnusable(); reason == "" && c.Name != counterName || reason != "" && c.Note != reason {
		t.Errorf("clock %+v does not follow %q", c, reason)
	}
	if c.Name != counterName && (c.Name != "monotonic" || c.Note == "") {
		t.Errorf("the fallback does not say why it was taken: %+v", c)
	}
	if !(c.TicksPerNS > 0) || !(c.ResolutionNS > 0) || math.IsInf(c.ResolutionNS, 0) {
		t.Errorf("not a clock: %+v", c)
	}
	if !c.counts() {
		return
	}
	// Two clocks must agree on an interval. The bound allows for a thread that is switched out between their reads.
	for try := 0; ; try++ {
		start, ticks := time.Now(), counter()
		time.Sleep(30 * time.Millisecond)
		want, got := float64(time.Since(start)), float64(counter()-ticks)/c.TicksPerNS
		if math.Abs(got/want-1) < 0.05 {
			return
		}
		if try == 20 {
			t.Fatalf("the counter measured %.0f ns of %.0f ns", got, want)
		}
	}
}

func TestMonotonicClock(t *testing.T) {
	c := MonotonicClock()
	if c.Name != "monotonic" || c.TicksPerNS != 1 || c.Note != "" || !(c.ResolutionNS > 0) || c.counts() {
		t.Errorf("unexpected %+v", c)
	}
}

func TestResolution(t *testing.T) {
	now := uint64(0)
	if got := resolution(func() uint64 { now += 40; return now }); got != 40 {
		t.Errorf("a clock that advances by 40 has resolution %g", got)
	}
	reads := uint64(0)
	if got := resolution(func() uint64 { reads++; return reads / 5 * 16 }); got != 16 {
		t.Errorf("a clock that advances by 16 now and then has resolution %g", got)
	}
}

func TestTSCUnusable(t *testing.T) {
	for _, c := range []struct {
		invariant bool
		source    string
		want      string
	}{
		{true, "tsc\n", ""},
		{true, "kvm-clock\n", ""},
		{true, "hyperv_clocksource_tsc_page", ""},
		{true, "", ""},
		{true, "hpet\n", "hpet"},
		{true, "acpi_pm", "acpi_pm"},
		{true, "jiffies", "jiffies"},
		{false, "tsc", "CPUID"},
	} {
		got := tscUnusable(c.invariant, c.source)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("invariant %v, source %q: %q, want %q in it", c.invariant, c.source, got, c.want)
		}
	}
}

func TestChain(t *testing.T) {
	want := uint64(1)
	for range 1000 {
		want *= 0x9e3779b97f4a7c15
	}
	if got := multiplyChain(1, 1000); got != want {
		t.Errorf("chain = %#x, want %#x", got, want)
	}
	for _, c := range []Clock{CalibrateClock(time.Millisecond), MonotonicClock(), {}} {
		if ns := c.ChainNS(); !(ns > 0) || math.IsInf(ns, 0) {
			t.Errorf("%s: the chain took %g ns", c.Name, ns)
		}
	}
}
