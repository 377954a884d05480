package platform

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
)

// LastLevelCacheBytes returns the size of the largest data cache that the first CPU uses, in bytes.
func LastLevelCacheBytes() (int64, error) { return lastLevelBytes(DataCaches()) }

func lastLevelBytes(caches []Cache) (int64, error) {
	if len(caches) == 0 {
		return 0, fmt.Errorf("size of the last-level cache: not known on this machine (%s); give the size of the "+
			"argument sets", runtime.GOOS)
	}
	return caches[len(caches)-1].Bytes, nil
}

// parseCacheSize reads "32768K".
func parseCacheSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	digits, unit := strings.TrimRight(s, "KMG"), int64(1)
	switch s[len(digits):] {
	case "":
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	default:
		return 0, fmt.Errorf("%q is not a size", s)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n * unit, nil
}
