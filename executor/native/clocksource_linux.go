package native

import "os"

// currentClockSource returns the kernel's clock source, or "" if it cannot be read.
func currentClockSource() string {
	b, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return "" // in a sandbox without sysfs, CPUID must be enough
	}
	return string(b)
}
