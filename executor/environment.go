package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"zonemark/executor/native"
)

// calibration is how long the clock is compared with the system's.
const calibration = 10 * time.Millisecond

// Environment is the fingerprint of the machine: what a measured time depends on besides the code. A value that the
// system does not offer is absent.
func Environment() map[string]string {
	e := map[string]string{
		"os":   runtime.GOOS,
		"arch": runtime.GOARCH,
		"cpus": strconv.Itoa(runtime.NumCPU()),
		"go":   runtime.Version(),
	}
	set := func(key, value string) {
		if value = strings.TrimSpace(value); value != "" {
			e[key] = value
		}
	}
	file := func(key, path string) {
		if b, err := os.ReadFile(path); err == nil && len(b) < 4096 {
			set(key, string(b))
		}
	}
	if host, err := os.Hostname(); err == nil {
		set("host", host)
	}
	set("cpu", cpuModel())
	set("caches", caches())
	if llc, err := native.LastLevelCacheBytes(); err == nil {
		set("last_level_cache_bytes", strconv.FormatInt(llc, 10))
	}
	file("kernel", "/proc/sys/kernel/osrelease")
	file("load", "/proc/loadavg")
	file("aslr", "/proc/sys/kernel/randomize_va_space")
	file("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	file("smt", "/sys/devices/system/cpu/smt/control")
	file("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
	file("transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled")
	return e
}

func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return value
		}
	}
	return ""
}

// caches lists the data caches of the first CPU, "L1 48K, L2 1024K, L3 32768K".
func caches() string {
	folders, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*") // the pattern is well formed
	var out []string
	for _, dir := range folders {
		read := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(dir, name)) // absent files give an empty text
			return strings.TrimSpace(string(b))
		}
		if level, size := read("level"), read("size"); level != "" && size != "" && read("type") != "Instruction" {
			out = append(out, fmt.Sprintf("L%s %s", level, size))
		}
	}
	return strings.Join(out, ", ")
}

// dataBytes is the data memory of this process as RLIMIT_DATA counts it; 0 where the system does not tell.
func dataBytes() int64 { return procKilobytes("/proc/self/status", "VmData:") }

// FreeMemoryBytes is the memory of the machine that can be taken without swapping; 0 where the system does not tell.
func FreeMemoryBytes() int64 { return procKilobytes("/proc/meminfo", "MemAvailable:") }

// procKilobytes reads a line "KEY  123 kB" and returns bytes; 0 when there is none.
func procKilobytes(path, key string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64) // 0 on nonsense
			return kb << 10
		}
	}
	return 0
}
