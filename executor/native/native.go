// Package native calls C functions in a timed loop written in assembly, without cgo.
package native

// Frame holds the argument words of one call.
type Frame struct{}

// Range is a stretch of memory.
type Range struct{ Addr, Len uintptr }
