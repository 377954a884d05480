package native

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"zonemark/executor/platform"
)

// Clock is the clock that times batches. The zero value measures like MonotonicClock.
type Clock struct {
	Name         string  // "tsc", "cntvct" or "monotonic"
	TicksPerNS   float64 // rate of the ticks that Loop.Run returns
	ResolutionNS float64 // shortest interval seen between two readings, the reading itself included
	Note         string  // why the processor's counter is not used; empty if it is used, or was not asked for
}

// MonotonicClock returns the system's monotonic clock, read around each batch from Go. It works everywhere.
func MonotonicClock() Clock {
	m := platform.NewMonotonic(time.Now())
	return Clock{Name: "monotonic", TicksPerNS: 1, ResolutionNS: resolution(func() uint64 { return uint64(m.NowNS()) })}
}

// Calibration is a comparison of the processor's counter with the system's raw monotonic clock that has begun. It takes
// no time while it goes on.
type Calibration struct {
	ticks uint64
	ns    int64
}

// BeginCalibration begins a comparison.
func BeginCalibration() Calibration {
	var c Calibration
	c.ticks, c.ns = readBoth()
	return c
}

// Clock ends the comparison, at least d after it has begun (and at least a millisecond), and returns the processor's
// counter with its rate. If the counter cannot be used, it returns the monotonic clock with a note that gives the
// reason. On amd64 the counter is used only if CPUID calls it invariant and the kernel has not demoted it.
func (c Calibration) Clock(d time.Duration) Clock {
	reason := counterUnusable()
	if reason == "" {
		var clock Clock
		if clock, reason = c.end(max(d, time.Millisecond)); reason == "" {
			return clock
		}
	}
	clock := MonotonicClock()
	clock.Note = reason
	return clock
}

// CalibrateClock returns the processor's counter with its rate, measured over d; see Calibration.Clock.
func CalibrateClock(d time.Duration) Clock { return BeginCalibration().Clock(d) }

// counts reports whether the clock is the counter that the assembly loop reads.
func (c Clock) counts() bool { return counterName != "" && c.Name == counterName }

// end measures the rate of the counter over d at least, or returns what is wrong with it.
func (c Calibration) end(d time.Duration) (clock Clock, reason string) {
	time.Sleep(d - time.Duration(platform.RawNS()-c.ns))
	ticks, ns := readBoth()
	rate := float64(int64(ticks-c.ticks)) / float64(ns-c.ns)
	// The slowest counter in use ticks at about 1 MHz, the fastest at some GHz.
	if !(rate > 0.0005 && rate < 50) {
		return Clock{}, fmt.Sprintf("the processor's counter %s made %.4g ticks per nanosecond", counterName, rate)
	}
	return Clock{Name: counterName, TicksPerNS: rate, ResolutionNS: resolution(counter) / rate}, ""
}

// readBoth reads the counter and the raw clock at the same moment, as exactly as the shortest of many pairs of reads
// allows.
func readBoth() (ticks uint64, ns int64) {
	least := uint64(math.MaxUint64)
	for range 50 {
		before := counter()
		now := platform.RawNS()
		after := counter()
		if after-before < least {
			least, ticks, ns = after-before, before+(after-before)/2, now
		}
	}
	return ticks, ns
}

// resolution returns the smallest step between consecutive readings, in the clock's ticks.
func resolution(read func() uint64) float64 {
	least := uint64(math.MaxUint64)
	for range 200 {
		start := read()
		now := read()
		for deadline := time.Now().Add(50 * time.Millisecond); now == start && time.Now().Before(deadline); {
			now = read()
		}
		if now > start {
			least = min(least, now-start)
		}
	}
	if least == math.MaxUint64 {
		return math.Inf(1) // the clock stands still
	}
	return float64(least)
}

// chainLength is the number of dependent multiplications that take about ten microseconds at 3 GHz with three cycles
// each.
const chainLength = 10000

// ChainNS returns the time of a fixed chain of dependent multiplications, the shortest of several runs. It depends on
// the core's frequency and on hardly anything else: a value well above an earlier one means that the core has slowed
// down.
func (c Clock) ChainNS() float64 {
	read, rate := counter, c.TicksPerNS
	if !c.counts() {
		m := platform.NewMonotonic(time.Now())
		read, rate = func() uint64 { return uint64(m.NowNS()) }, 1
	}
	least := math.Inf(1)
	for range 9 {
		start := read()
		runtime.KeepAlive(multiplyChain(uint64(start), chainLength))
		least = min(least, float64(int64(read()-start)))
	}
	return least / rate
}

// multiplyChain multiplies n times; each product waits for the one before.
//
//go:noinline
func multiplyChain(x uint64, n int) uint64 {
	for range n {
		x *= 0x9e3779b97f4a7c15 // odd and not a sum of few powers of two, so that it stays one multiplication
	}
	return x
}
