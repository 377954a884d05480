//go:build !linux || !amd64

package native

// CatchClockReads does nothing here.
func CatchClockReads() {}

func catchesClockReads() bool { return false }
