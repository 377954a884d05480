package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemEnvironment returns what Linux reports about the processor and its own settings. A value that Linux does not
// report is empty or absent; values may have spaces around them.
func systemEnvironment() map[string]string {
	e := map[string]string{"caches": caches()}
	info, _ := os.ReadFile("/proc/cpuinfo") // an absent file gives no values
	for key, names := range map[string][]string{"cpu": {"model name"}, "cpu_features": {"flags", "Features"}} {
		e[key] = cpuInfo(string(info), names)
	}
	for key, path := range map[string]string{
		"kernel":                "/proc/sys/kernel/osrelease",
		"load":                  "/proc/loadavg",
		"aslr":                  "/proc/sys/kernel/randomize_va_space",
		"governor":              "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"max_frequency_khz":     "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
		"no_turbo":              "/sys/devices/system/cpu/intel_pstate/no_turbo",
		"boost":                 "/sys/devices/system/cpu/cpufreq/boost",
		"smt":                   "/sys/devices/system/cpu/smt/control",
		"clocksource":           "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"transparent_hugepages": "/sys/kernel/mm/transparent_hugepage/enabled",
	} {
		if b, err := os.ReadFile(path); err == nil && len(b) < 4096 {
			e[key] = string(b)
		}
	}
	return e
}

// cpuInfo returns what the text of /proc/cpuinfo says of the first CPU under one of the names, or "" if it does not.
func cpuInfo(text string, names []string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && slices.Contains(names, strings.TrimSpace(key)) {
			return value
		}
	}
	return ""
}

// caches returns the data caches of the first CPU, such as "L1 48K, L2 1024K, L3 32768K".
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
