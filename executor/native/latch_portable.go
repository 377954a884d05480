//go:build !(amd64 || arm64) || windows

package native

// LatchEntry is 0: there is no such function on this system.
func LatchEntry() uintptr { return 0 }
