package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/invocations/figures"
)

// coarse is the resolution from which short functions need long batches, in nanoseconds.
const coarse = 200

// clock finds what times batches.
func clock(s system, _ *watched) []Finding {
	const source = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	g := s.Given
	f := Finding{Subject: "clock", Grade: Good, Evidence: fmt.Sprintf("two readings lie %s apart", figures.Time(g.ResolutionNS)),
		Found: fmt.Sprintf("%s tells %s apart", g.Clock, figures.Time(g.ResolutionNS))}
	if s.there(source) {
		f.Evidence += "; " + s.quote(source)
	}
	switch {
	case g.ClockNote != "":
		f.Grade, f.Found = MayMove, f.Found+", since "+g.ClockNote
		if available := s.text(strings.Replace(source, "current", "available", 1)); slices.Contains(
			strings.Fields(available), "tsc") && s.text(source) != "tsc" {
			f.Remedy = "echo tsc > /" + source
		}
	case g.ResolutionNS > coarse:
		f.Grade = MayMove
		f.Remedy = "measure functions of less than a microsecond with longer batches: --min-time 1s"
	}
	return []Finding{f}
}

// counters finds whether hardware counters can be read.
func counters(s system, _ *watched) []Finding {
	const name = "proc/sys/kernel/perf_event_paranoid"
	f := Finding{Subject: "counters", Grade: Good, Found: "instructions and cycles are counted", Evidence: "perf_event_open works"}
	if why := s.Given.Counters; why != "" {
		f.Grade, f.Found, f.Evidence = MayMove, "none: "+why+". Cycles move less than times do", "perf_event_open is refused"
		switch level, known := s.number(name); {
		case known && level > 2 && strings.HasPrefix(why, "not permitted"):
			f.Evidence, f.Remedy = s.quote(name), "sysctl kernel.perf_event_paranoid=2"
		case strings.Contains(why, "seccomp"):
			if known {
				f.Evidence += "; " + s.quote(name)
			}
			f.Remedy = "start the container with --cap-add PERFMON, or let its seccomp profile allow perf_event_open"
		case s.virtual():
			f.Remedy = "ask the host for a machine with a virtual PMU, or measure on hardware"
		}
	}
	return []Finding{f}
}

// layerRemedies are what makes a layer of the sandbox work, where it is a setting.
var layerRemedies = []struct{ name, value, remedy string }{
	{"proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
	{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
	{"proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
}

// sandbox finds which layers confine native code here.
func sandbox(s system, _ *watched) []Finding {
	g := s.Given
	f := Finding{Subject: "sandbox", Grade: Good, Found: "all layers work", Evidence: strings.Join(g.Layers, " + ")}
	if g.NoGroup != "" {
		f.Evidence += "; without cgroup, which would hold the limit of --memory, too: " + g.NoGroup
	}
	if len(g.Missing) == 0 {
		return []Finding{f}
	}
	var words []string
	for _, layer := range slices.Sorted(maps.Keys(g.Missing)) {
		words = append(words, layer+": "+g.Missing[layer])
	}
	f.Grade, f.Evidence = MayMove, strings.Join(words, "; ")
	f.Found = fmt.Sprintf("%d of %d layers do not work: native code is confined less", len(words), len(words)+len(g.Layers))
	for _, r := range layerRemedies {
		if s.text(r.name) == r.value {
			f.Evidence += "; " + s.quote(r.name)
			f.Remedy = r.remedy
			break
		}
	}
	return []Finding{f}
}
