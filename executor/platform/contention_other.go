//go:build !linux

package platform

// ReadContention returns the zero value: the competition for CPUs is not read on this system.
func ReadContention() Contention { return Contention{} }
