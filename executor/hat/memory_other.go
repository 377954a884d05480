//go:build !linux

package hat

// availableMemory is unknown here: the allocation itself says whether there is enough.
func availableMemory() (bytes int64, known bool) { return 0, false }
