//go:build !(amd64 || arm64) || windows

package native

// LatchEntry returns 0: this system has no such function.
func LatchEntry() uintptr { return 0 }

// CopyEntry returns 0: this system has no such function.
func CopyEntry() uintptr { return 0 }
