// Package platform is what an operating system and a machine offer to a measurement: clocks of the system, CPU time and
// counts of threads, a pinned thread, memory off the Go heap, cache sizes, and the fingerprint of the machine that a
// journal keeps. Where a system does not offer something, a function says so by its result or by an error.
//
// It imports nothing of zonemark, so that every package may use it; it knows nothing of invocations or of how they are
// timed. The counter of the processor that the timed loop reads belongs to the loop, in package native.
package platform
