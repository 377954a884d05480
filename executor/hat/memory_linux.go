package hat

import (
	"os"
	"strconv"
	"strings"
)

// availableMemory is the kernel's estimate of what can be allocated without swapping, in bytes. It is unknown where /proc is hidden.
func availableMemory() (bytes int64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "MemAvailable:"); found {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
