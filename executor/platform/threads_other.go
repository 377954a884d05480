//go:build !linux

package platform

// Threads returns nil: they are not read on this system.
func Threads(map[int]int64) map[int]int64 { return nil }

// HoldPreemption does nothing: signals are not held on this system.
func HoldPreemption() (restore func()) { return func() {} }

// Background does nothing: threads have no such policy on this system.
func Background() {}

// LoosenTimers does nothing.
func LoosenTimers() {}

// Foreground does nothing.
func Foreground() {}
