//go:build !windows

package native

// counterName names the time-stamp counter.
const counterName = "tsc"

// engineCounts says whether the engine reads counters, by an instruction of user code.
const engineCounts = true

// chain makes so many rounds of eight dependent additions and returns the counter's ticks.
func chain(rounds uint64) (ticks uint64)

// ports makes so many rounds of four independent additions and two loads from the line and returns the counter's ticks.
func ports(rounds uint64, line *[8]uint64) (ticks uint64)

// counter reads the time-stamp counter between two fences.
func counter() uint64

// cpuid is the instruction of that name.
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// CanFlush says whether SetFlush has an effect. CLFLUSH belongs to every amd64 processor.
func CanFlush() bool { return true }

// hasOptimizedFlush says whether CLFLUSHOPT exists, CPUID leaf 7, EBX bit 23: it evicts lines in any order, several at a time.
func hasOptimizedFlush() bool {
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(1<<23) != 0
}

// counterUnusable says why the time-stamp counter is no clock, or nothing.
func counterUnusable() string {
	return tscUnusable(invariantTSC(), currentClockSource())
}

// invariantTSC is CPUID leaf 0x80000007, EDX bit 8: the counter runs at one rate whatever the core's frequency and sleep state.
func invariantTSC() bool {
	if most, _, _, _ := cpuid(0x80000000, 0); most < 0x80000007 {
		return false
	}
	_, _, _, d := cpuid(0x80000007, 0)
	return d&(1<<8) != 0
}
