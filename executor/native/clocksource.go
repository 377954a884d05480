package native

import "strings"

// tscUnusable says why the time-stamp counter cannot be the clock, given CPUID's word and the kernel's clock source, which is empty where
// the kernel does not tell. A kernel that finds the counter unstable demotes it to one of the clocks named here; the clocks of
// hypervisors (kvm-clock, hyperv_clocksource_tsc_page, xen) are themselves derived from it.
func tscUnusable(invariant bool, source string) string {
	if !invariant {
		return "the processor does not call its time-stamp counter invariant (CPUID 0x80000007)"
	}
	switch source = strings.TrimSpace(source); source {
	case "hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit":
		return "the kernel keeps time with " + source + " and not with the time-stamp counter, so it found that one unstable"
	}
	return ""
}
