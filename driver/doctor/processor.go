package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const cpuFiles = "sys/devices/system/cpu/"

// governor finds what chooses the clock of the CPUs.
func governor(s system, _ *watched) []Finding {
	f := Finding{Subject: "governor"}
	values, cpus, first := s.alike(cpuFiles + "cpu[0-9]*/cpufreq/scaling_governor")
	if len(values) == 0 {
		f.Grade, f.Found = Unknown, "the system does not choose the clock of its CPUs; firmware or the host does"
		f.Evidence = "there is no /" + cpuFiles + "cpu0/cpufreq"
		f.Remedy = "compare at the reference clock, as zonemark does by itself"
		return []Finding{f}
	}
	var words []string
	for _, v := range values {
		words = append(words, v+" on CPU "+listed(cpus[v]))
	}
	f.Grade, f.Found, f.Evidence = Good, strings.Join(words, ", "), s.quote(first)
	if !slices.Equal(values, []string{"performance"}) {
		f.Grade, f.Remedy = Disturbs, "cpupower frequency-set -g performance"
	}
	return []Finding{f}
}

// turbo finds whether CPUs may run above their base clock, which depends on what the others do.
func turbo(s system, _ *watched) []Finding {
	for _, setting := range []struct{ name, on, off string }{
		{cpuFiles + "intel_pstate/no_turbo", "0", "1"},
		{cpuFiles + "cpufreq/boost", "1", "0"},
	} {
		value := s.text(setting.name)
		if value == "" {
			continue
		}
		f := Finding{Subject: "turbo", Grade: Good, Found: "off: no CPU runs above its base clock", Evidence: s.quote(setting.name)}
		if value == setting.on {
			f.Grade, f.Found = MayMove, "on: the clock depends on heat and on what other CPUs do"
			f.Remedy = fmt.Sprintf("echo %s > /%s", setting.off, setting.name)
		}
		return []Finding{f}
	}
	return []Finding{{Subject: "turbo", Grade: Unknown, Found: "the system does not tell whether CPUs run above their base clock",
		Evidence: "there is neither /" + cpuFiles + "intel_pstate/no_turbo nor /" + cpuFiles + "cpufreq/boost"}}
}

// threads finds CPUs that share a core.
func threads(s system, _ *watched) []Finding {
	f := Finding{Subject: "SMT"}
	siblings, _, first := s.alike(cpuFiles + "cpu[0-9]*/topology/thread_siblings_list")
	shared := slices.DeleteFunc(slices.Clone(siblings), func(list string) bool { return count(list) < 2 })
	switch {
	case len(shared) > 0:
		f.Grade, f.Evidence = MayMove, s.quote(first)
		f.Found = "on: CPUs " + strings.Join(shared[:min(len(shared), shownNames)], ", ") + " share a core each; " +
			"work on one of them slows the other, and no counter of the system shows it"
		f.Remedy = "echo off > /" + cpuFiles + "smt/control"
	case s.virtual(): // what it lists is what its host made up
		f.Grade, f.Found = Unknown, "a virtual machine does not show which of its CPUs share a core, with each other or "+
			"with other machines; zonemark's canary sees it if they do"
		f.Evidence = fmt.Sprintf("/%ssmt/control: %s", cpuFiles, s.text(cpuFiles+"smt/control"))
	case len(siblings) > 0:
		f.Grade, f.Found, f.Evidence = Good, "off: no CPUs share a core", s.quote(first)
	default:
		f.Grade, f.Found, f.Evidence = Unknown, "the system does not tell", "there is no /"+cpuFiles+"cpu0/topology"
	}
	return []Finding{f}
}

// nodes finds several memories.
func nodes(s system, _ *watched) []Finding {
	const name = "sys/devices/system/node/online"
	f := Finding{Subject: "NUMA", Evidence: s.quote(name)}
	switch n := count(s.text(name)); {
	case n == 0:
		f.Grade, f.Found = Unknown, "the system does not list its memory nodes"
	case n == 1:
		f.Grade, f.Found = Good, "one memory node"
	default:
		f.Grade, f.Found = MayMove, fmt.Sprintf("%d memory nodes: memory of another node is slower, and where pages are "+
			"placed differs from run to run", n)
		f.Remedy = "numactl --cpunodebind=0 --membind=0 zonemark …"
	}
	return []Finding{f}
}

// hot is how close to its limit a sensor counts as hot, in thousandths of a degree.
const hot = 10_000

// temperatures finds sensors that are near their limits.
func temperatures(s system, _ *watched) []Finding {
	zones := s.glob("sys/class/thermal/thermal_zone[0-9]*/temp")
	f := Finding{Subject: "temperature", Grade: Good}
	most := int64(0)
	for _, zone := range zones {
		now, known := s.number(zone)
		folder := strings.TrimSuffix(zone, "temp")
		limit := int64(0)
		for _, point := range s.glob(folder + "trip_point_[0-9]*_temp") {
			if t, ok := s.number(point); ok && t > 0 && (limit == 0 || t < limit) {
				limit = t
			}
		}
		if !known {
			continue
		}
		if now > most {
			most, f.Found, f.Evidence = now, degrees(now), s.quote(zone)
		}
		if limit > 0 && now > limit-hot {
			f.Grade, f.Found = MayMove, degrees(now)+", and the limit is "+degrees(limit)
			f.Evidence, f.Remedy = s.quote(zone), "let it cool down before you measure"
			break
		}
	}
	if most == 0 {
		return []Finding{{Subject: "temperature", Grade: Unknown, Found: "there is no sensor", Evidence: "/sys/class/thermal"}}
	}
	return []Finding{f}
}

func degrees(thousandths int64) string {
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', 0, 64) + " °C"
}

// power finds a machine that runs on its battery.
func power(s system, _ *watched) []Finding {
	for _, name := range s.glob("sys/class/power_supply/*/online") {
		if s.text(strings.TrimSuffix(name, "online")+"type") != "Mains" {
			continue
		}
		if s.text(name) == "0" {
			return []Finding{{Subject: "power", Grade: Disturbs, Found: "the machine runs on its battery, and saves power",
				Evidence: s.quote(name), Remedy: "plug it in"}}
		}
		return []Finding{{Subject: "power", Grade: Good, Found: "mains", Evidence: s.quote(name)}}
	}
	return nil
}
