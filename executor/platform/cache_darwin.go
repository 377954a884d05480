package platform

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// LastLevelCacheBytes returns the size of the largest cache, in bytes. Apple processors report no third level; the
// largest cache is then the second level of the fast cores.
func LastLevelCacheBytes() (int64, error) {
	err := error(nil)
	for _, name := range []string{"hw.l3cachesize", "hw.perflevel0.l2cachesize", "hw.l2cachesize"} {
		var n uint64
		if n, err = unix.SysctlUint64(name); err == nil && n > 0 {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("size of the last-level cache: sysctl hw.l2cachesize: %w", err)
}
