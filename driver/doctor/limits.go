package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/cgroups"
	"zonemark/invocations/cpuinfo"
)

// virtual reports whether the processor says that a hypervisor is below it.
func (s system) virtual() bool {
	list := cpuinfo.ParseProcessors(s.text("proc/cpuinfo"))
	return len(list) > 0 && slices.Contains(list[0].Features(), "hypervisor")
}

// machineKind finds virtual machines and containers.
func machineKind(s system, _ *watched) []Finding {
	var found []Finding
	if s.virtual() {
		f := Finding{Subject: "virtual machine", Grade: MayMove, Evidence: "/proc/cpuinfo, flags: hypervisor",
			Found:  "yes: other machines of the host share caches, memory, clock, and perhaps the core",
			Remedy: "ask for dedicated hardware; else trust rows whose quiet share is high"}
		if vendor := s.text("sys/class/dmi/id/sys_vendor"); vendor != "" {
			f.Evidence += "; " + s.quote("sys/class/dmi/id/sys_vendor")
		}
		found = append(found, f)
	}
	for _, mark := range []string{".dockerenv", "run/.containerenv"} {
		if s.there(mark) {
			found = append(found, Finding{Subject: "container", Grade: MayMove, Evidence: "/" + mark,
				Found:  "yes: other containers share the machine, and settings of the kernel can be changed outside only",
				Remedy: "look at load and settings on the machine itself"})
			break
		}
	}
	return found
}

// limits finds limits of control groups that slow programs down or kill them.
func limits(s system, _ *watched) []Finding {
	var found []Finding
	for _, folder := range cgroups.Folders(s.text, "cpu", "memory") {
		if quota, period := s.quota(folder); quota > 0 && period > 0 {
			name := folder + "/cpu.max"
			if !s.there(name) {
				name = folder + "/cpu.cfs_quota_us"
			}
			f := Finding{Subject: "CPU limit", Grade: MayMove, Evidence: s.quote(name),
				Found: fmt.Sprintf("programs get %.2g CPUs and are stopped for the rest of each %d ms", quota/period,
					int(period/1000)),
				Remedy: "start the container without a limit of CPUs, or systemctl set-property UNIT CPUQuota="}
			if n := s.throttledPeriods(folder); n > 0 {
				f.Grade = Disturbs
				f.Evidence += fmt.Sprintf("; /%s/cpu.stat: nr_throttled %d", folder, n)
			}
			found = append(found, f)
		}
		for _, name := range []string{folder + "/memory.max", folder + "/memory.limit_in_bytes"} {
			if n, known := s.number(name); known && n < 1<<60 {
				found = append(found, Finding{Subject: "memory limit", Grade: MayMove, Evidence: s.quote(name),
					Found:  fmt.Sprintf("%.1f GiB for all processes of the group: beyond it they are killed", float64(n)/(1<<30)),
					Remedy: "measure what needs less, or start the container with more"})
			}
		}
	}
	return found
}

// quota returns how many microseconds of each period a control group may run; 0 for no limit.
func (s system) quota(folder string) (quota, period float64) {
	if fields := strings.Fields(s.text(folder + "/cpu.max")); len(fields) == 2 && fields[0] != "max" {
		quota, _ = strconv.ParseFloat(fields[0], 64) // 0 if it is no number
		period, _ = strconv.ParseFloat(fields[1], 64)
		return quota, period
	}
	q, known := s.number(folder + "/cpu.cfs_quota_us")
	p, _ := s.number(folder + "/cpu.cfs_period_us")
	if !known || q <= 0 {
		return 0, 0
	}
	return float64(q), float64(p)
}

// throttledPeriods returns in how many periods a control group was stopped.
func (s system) throttledPeriods(folder string) int64 {
	for line := range strings.Lines(s.text(folder + "/cpu.stat")) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "nr_throttled "); ok {
			n, _ := strconv.ParseInt(value, 10, 64)
			return n
		}
	}
	return 0
}

// allowedCPUs finds CPUs that this process may not use, and those that the kernel keeps for who asks for them.
func allowedCPUs(s system, _ *watched) []Finding {
	online, allowed := s.text(cpuFiles+"online"), ""
	for line := range strings.Lines(s.text("proc/self/status")) {
		if value, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			allowed = strings.TrimSpace(value)
		}
	}
	if online == "" || allowed == "" {
		return []Finding{{Subject: "CPUs", Grade: Unknown, Found: "the system does not tell",
			Evidence: "/proc/self/status, Cpus_allowed_list"}}
	}
	f := Finding{Subject: "CPUs", Grade: Good, Found: allowed + " of " + online,
		Evidence: "/proc/self/status, Cpus_allowed_list: " + allowed}
	switch isolated := s.text(cpuFiles + "isolated"); {
	case isolated != "":
		f.Found += "; the kernel keeps " + isolated + " free of other work"
		f.Evidence += "; " + s.quote(cpuFiles+"isolated")
		f.Remedy = "measure there: --cpu N"
	case count(allowed) == 1:
		f.Grade, f.Found = MayMove, "one CPU only, which zonemark shares with what it measures"
		f.Remedy = "allow two CPUs: taskset -c 0,1 zonemark …"
	}
	return []Finding{f}
}
