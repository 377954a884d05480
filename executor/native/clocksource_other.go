//go:build !linux

package native

// currentClockSource returns "": only Linux names its clock source.
func currentClockSource() string { return "" }
