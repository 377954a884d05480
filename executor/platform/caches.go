package platform

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// Cache is a cache that data goes through.
type Cache struct {
	Level int
	Bytes int64
	CPUs  int // that share it; at least 1
}

// dataCaches returns the caches that a folder of index*/ entries describes, the nearest first. Linux has one in
// cpuN/cache (Documentation/ABI/testing/sysfs-devices-system-cpu). What cannot be read is left out.
func dataCaches(dir string) (list []Cache) {
	indices, _ := filepath.Glob(filepath.Join(dir, "index*")) // the pattern is well formed
	for _, index := range indices {
		read := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(index, name)) // absent files give an empty text
			return strings.TrimSpace(string(b))
		}
		level, err := strconv.Atoi(read("level"))
		bytes, sizeErr := parseCacheSize(read("size"))
		if err != nil || sizeErr != nil || level < 1 || read("type") == "Instruction" {
			continue
		}
		list = append(list, Cache{Level: level, Bytes: bytes, CPUs: max(1, countCPUs(read("shared_cpu_list")))})
	}
	slices.SortStableFunc(list, func(a, b Cache) int { return a.Level - b.Level })
	return list
}

// countCPUs returns the number of CPUs of a list such as "0-3,8". It returns 0 if the text is no such list.
func countCPUs(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, several := strings.Cut(part, "-")
		if !several {
			to = from
		}
		a, errA := strconv.ParseUint(from, 10, 16)
		b, errB := strconv.ParseUint(to, 10, 16)
		if errA != nil || errB != nil || b < a {
			return 0
		}
		n += int(b-a) + 1
	}
	return n
}
