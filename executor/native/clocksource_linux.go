package native

import "os"

// currentClockSource is the kernel's clock source, empty when it cannot be read.
func currentClockSource() string {
	b, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return "" // a sandbox without sysfs: CPUID has to do
	}
	return string(b)
}
