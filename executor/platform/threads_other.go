//go:build !linux

package platform

// Threads returns nil: they are not read on this system.
func Threads(map[int]int64) map[int]int64 { return nil }
