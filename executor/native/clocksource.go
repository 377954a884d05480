package native

import "strings"

// tscUnusable returns why the time-stamp counter cannot be the clock, or "". invariant is what CPUID reports. source is
// the kernel's clock source, or "" if the kernel does not name it. A kernel that finds the counter unstable switches to
// one of the clocks named here. The clocks of hypervisors (kvm-clock, hyperv_clocksource_tsc_page, xen) are derived
// from the counter.
func tscUnusable(invariant bool, source string) string {
	if !invariant {
		return "the processor does not call its time-stamp counter invariant (CPUID 0x80000007)"
	}
	switch source = strings.TrimSpace(source); source {
	case "hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit":
		return "the kernel keeps time with " + source + " and not with the time-stamp counter, " +
			"so it found that one unstable"
	}
	return ""
}
