//go:build !linux

package platform

// systemEnvironment returns nothing: only Linux is asked for more.
func systemEnvironment() map[string]string { return nil }
