//go:build !linux

package native

// currentClockSource is empty: only Linux names its clock source.
func currentClockSource() string { return "" }
