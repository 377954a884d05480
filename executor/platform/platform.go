// Package platform contains what an operating system and a machine offer to a measurement: clocks of the system, CPU
// time and counts of threads, a pinned thread, memory off the Go heap, cache sizes, and the fingerprint of the machine
// that a journal keeps. If a system does not offer something, the function's result or error shows it.
//
// The package imports nothing of zonemark, so that every package may use it. It knows nothing of invocations or of how
// they are timed. The processor's counter, which the timed loop reads, belongs to package native.
package platform
