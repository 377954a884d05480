//go:build !linux

package platform

// systemEnvironment returns nil: only Linux has more values.
func systemEnvironment() map[string]string { return nil }
