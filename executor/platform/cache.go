package platform

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// cacheSize returns the size of the highest-level cache that a folder of index*/ entries describes, as Linux lays them
// out in cpuN/cache (Documentation/ABI/testing/sysfs-devices-system-cpu).
func cacheSize(dir string) (int64, error) {
	indices, err := filepath.Glob(filepath.Join(dir, "index*"))
	if err != nil || len(indices) == 0 {
		return 0, fmt.Errorf("size of the last-level cache: %s describes no caches", dir)
	}
	highest, bytes := 0, int64(0)
	for _, index := range indices {
		text, err := os.ReadFile(filepath.Join(index, "level"))
		if err != nil {
			return 0, fmt.Errorf("size of the last-level cache: %w", err)
		}
		level, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, fmt.Errorf("size of the last-level cache: %s/level: %w", index, err)
		}
		kind, err := os.ReadFile(filepath.Join(index, "type"))
		if err == nil && strings.TrimSpace(string(kind)) == "Instruction" || level <= highest {
			continue
		}
		text, err = os.ReadFile(filepath.Join(index, "size"))
		if err != nil {
			return 0, fmt.Errorf("size of the last-level cache: %w", err)
		}
		size, err := parseCacheSize(string(text))
		if err != nil {
			return 0, fmt.Errorf("size of the last-level cache: %s/size: %w", index, err)
		}
		highest, bytes = level, size
	}
	if bytes == 0 {
		return 0, fmt.Errorf("size of the last-level cache: %s describes no data cache", dir)
	}
	return bytes, nil
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
