//go:build !linux && !darwin

package platform

// DataCaches returns nil: the caches are not known on this system.
func DataCaches() []Cache { return nil }
