//go:build !linux && !darwin

package platform

import (
	"fmt"
	"runtime"
)

// LastLevelCacheBytes returns an error: the size is not known on this system.
func LastLevelCacheBytes() (int64, error) {
	return 0, fmt.Errorf("size of the last-level cache: not known on %s; give the size of the argument sets",
		runtime.GOOS)
}
