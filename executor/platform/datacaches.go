package platform

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

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
