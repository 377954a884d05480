// Package native calls C functions in a timed loop written in assembly, without cgo, and offers what belongs to that
// loop: the processor's counter as a calibrated clock, hardware counters, and probes that show whether the core is
// shared. What an operating system offers to a measurement is in package platform. It knows nothing of runtimes, of
// files or of how many calls make a good measurement.
//
// A whole run of batches is entered by one call that switches to the thread's system stack, so that no Go code, no
// scheduler and no foreign-function layer stands between the two clock reads of a batch. On systems and processors
// without that loop (every Windows, and anything but amd64 and arm64) the same interface works through dl.Call, with
// its cost of some hundred nanoseconds a call, which Empty measures like any other overhead.
package native

// Range is a stretch of memory.
type Range struct{ Addr, Len uintptr }
