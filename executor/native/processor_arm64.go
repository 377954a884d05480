//go:build !windows

package native

import "runtime"

// counterName names the virtual counter of the generic timer, CNTVCT_EL0.
const counterName = "cntvct"

// counter reads the virtual counter between two barriers.
func counter() uint64

// CanFlush says whether SetFlush has an effect: Linux lets programs execute DC CIVAC, Apple does not promise it.
func CanFlush() bool { return runtime.GOOS == "linux" }

func hasOptimizedFlush() bool { return false }

// counterUnusable is empty: the architecture promises one rate.
func counterUnusable() string { return "" }
