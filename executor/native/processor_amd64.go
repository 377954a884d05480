//go:build !windows

package native

import "sync"

// counterName names the time-stamp counter.
const counterName = "tsc"

// engineCounts reports whether the engine reads counters, by an instruction of user code.
const engineCounts = true

// chain makes this many rounds of eight dependent additions and returns the counter's ticks.
func chain(rounds uint64) (ticks uint64)

// ports makes this many rounds of four independent additions and two loads from the line and returns the counter's
// ticks.
func ports(rounds uint64, line *[8]uint64) (ticks uint64)

// counter reads the time-stamp counter between two fences.
func counter() uint64

// cpuid executes the CPUID instruction.
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// CanFlush reports whether SetFlush has an effect. Every amd64 processor has CLFLUSH.
func CanFlush() bool { return true }

// hasOptimizedFlush reports whether the processor has CLFLUSHOPT (CPUID leaf 7, EBX bit 23), which evicts lines in any
// order, several at a time. It asks once: in a virtual machine, CPUID takes microseconds.
var hasOptimizedFlush = sync.OnceValue(func() bool {
	if highest, _, _, _ := cpuid(0, 0); highest < 7 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(1<<23) != 0
})

// counterUnusable returns why the time-stamp counter cannot be the clock, or "".
func counterUnusable() string {
	return tscUnusable(invariantTSC(), currentClockSource())
}

// invariantTSC reports whether the counter runs at one rate at any frequency and sleep state of the core: CPUID leaf
// 0x80000007, EDX bit 8.
func invariantTSC() bool {
	if highest, _, _, _ := cpuid(0x80000000, 0); highest < 0x80000007 {
		return false
	}
	_, _, _, d := cpuid(0x80000007, 0)
	return d&(1<<8) != 0
}
