// Package native calls C functions in a timed loop written in assembly, without cgo. It also contains what belongs to
// that loop: the processor's counter as a calibrated clock, hardware counters, and probes that show whether the core is
// shared. What an operating system offers to a measurement is in package platform. The package knows nothing of
// runtimes, of files, or of how many calls make a good measurement.
//
// One call, which switches to the thread's system stack, enters a whole run of batches. No Go code, no scheduler and no
// foreign-function layer runs between the two clock reads of a batch. Systems and processors without that loop (every
// Windows, and anything but amd64 and arm64) use dl.Call behind the same interface. It costs some hundred nanoseconds a
// call, which Empty measures like any other overhead.
package native

// Range is a range of memory: an address and a number of bytes.
type Range struct{ Addr, Len uintptr }
