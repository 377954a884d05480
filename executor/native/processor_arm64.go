//go:build !windows

package native

import "runtime"

// counterName names the virtual counter of the generic timer, CNTVCT_EL0.
const counterName = "cntvct"

// engineCounts reports whether the engine reads counters, by an instruction of user code.
const engineCounts = false

// chain makes this many rounds of eight dependent additions and returns the counter's ticks.
func chain(rounds uint64) (ticks uint64)

// ports makes this many rounds of four independent additions and two loads from the line and returns the counter's
// ticks.
func ports(rounds uint64, line *[8]uint64) (ticks uint64)

// counter reads the virtual counter between two barriers.
func counter() uint64

// CanFlush reports whether SetFlush has an effect: Linux lets programs execute DC CIVAC, Apple does not promise it.
func CanFlush() bool { return runtime.GOOS == "linux" }

func hasOptimizedFlush() bool { return false }

// counterUnusable returns "": the architecture promises one rate.
func counterUnusable() string { return "" }
