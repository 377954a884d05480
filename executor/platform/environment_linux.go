package platform

import (
	"fmt"
	"os"
	"strings"

	"zonemark/invocations/cpuinfo"
)

// systemEnvironment returns what Linux reports about the processor and its own settings. A value that Linux does not
// report is empty or absent; values may have spaces around them.
func systemEnvironment() map[string]string {
	e := map[string]string{"caches": caches()}
	if list := cpuinfo.Processors(); len(list) > 0 {
		e["cpu"], e["cpu_features"] = list[0].Value("model name"), list[0].Value("flags", "Features")
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

// caches returns the data caches of the first CPU, such as "L1 48K, L2 1024K, L3 32768K".
func caches() string {
	var out []string
	for _, c := range DataCaches() {
		out = append(out, fmt.Sprintf("L%d %dK", c.Level, c.Bytes>>10))
	}
	return strings.Join(out, ", ")
}
