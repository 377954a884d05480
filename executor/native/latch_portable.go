//go:build !(amd64 || arm64) || windows

package native

// LatchEntry returns 0: this system has no such function.
func LatchEntry() uintptr { return 0 }
