package doctor

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/foreign"
)

// snapshot is what counters of the system show at one moment. Times are in the system's ticks.
type snapshot struct {
	cpus      int
	all       int64 // time of all CPUs
	busy      int64 // of it: not idle
	steal     int64 // of it: taken by the host
	processes map[int]process
	throttled map[string]int64 // by the file of the counter
	swapped   int64            // pages, in and out
	swapKnown bool
}

type process struct {
	name   string
	parent int
	ticks  int64
}

// watched holds the states before and after the watch.
type watched struct{ before, after snapshot }

// look takes a snapshot. What cannot be read is zero.
func look(files fs.FS) snapshot {
	s := system{System{Files: files}}
	shot := snapshot{processes: map[int]process{}, throttled: map[string]int64{}}
	for line := range strings.Lines(s.text("proc/stat")) {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 8 && fields[0] == "cpu":
			shot.all, shot.busy, shot.steal = times(fields[1:9])
		case len(fields) > 0 && strings.HasPrefix(fields[0], "cpu"):
			shot.cpus++
		}
	}
	for _, name := range s.glob("proc/[0-9]*/stat") {
		if pid, p, ok := parseProcess(s.text(name)); ok {
			shot.processes[pid] = p
		}
	}
	for _, name := range s.glob(cpuFiles + "cpu[0-9]*/thermal_throttle/*_throttle_count") {
		shot.throttled[name], _ = s.number(name)
	}
	for line := range strings.Lines(s.text("proc/vmstat")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && (name == "pswpin" || name == "pswpout") {
			shot.swapped += n
			shot.swapKnown = true
		}
	}
	return shot
}

// times sums the columns of a line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
func times(columns []string) (all, busy, steal int64) {
	for i, column := range columns {
		n, err := strconv.ParseInt(column, 10, 64)
		if err != nil {
			return 0, 0, 0
		}
		all += n
		if idle := i == 3 || i == 4; !idle {
			busy += n
		}
		if i == 7 {
			steal = n
		}
	}
	return all, busy, steal
}

// parseProcess reads /proc/PID/stat. The name is in parentheses and may hold anything, parentheses too.
func parseProcess(text string) (pid int, p process, ok bool) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return 0, p, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(text[:open]))
	fields := strings.Fields(text[end+1:])
	if err != nil || len(fields) < 13 {
		return 0, p, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	user, err2 := strconv.ParseInt(fields[11], 10, 64)
	kernel, err3 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return 0, p, false
	}
	return pid, process{name: text[open+1 : end], parent: parent, ticks: user + kernel}, true
}

const (
	idleShare  = 0.02 // of one CPU: work of others that is always there
	stolenMuch = 0.01 // share of the time
	shownNames = 4
)

// load finds what other processes do.
func load(s system, w *watched) []Finding {
	f := Finding{Subject: "load", Evidence: fmt.Sprintf("/proc/stat and /proc/PID/stat, watched for %v", s.Watch)}
	all := w.after.all - w.before.all
	if all <= 0 || w.after.cpus == 0 {
		f.Grade, f.Found, f.Evidence = Unknown, "the system does not tell", "/proc/stat"
		return []Finding{f}
	}
	type share struct {
		name string
		pid  int
		cpus float64
	}
	ticksOfCPU := float64(all) / float64(w.after.cpus)
	var others []share
	own := 0.0
	for pid, p := range w.after.processes {
		cpus := float64(p.ticks-w.before.processes[pid].ticks) / ticksOfCPU
		if ours(w.after.processes, pid, s.PID) {
			own += cpus
		} else if cpus >= idleShare/2 {
			others = append(others, share{p.name, pid, cpus})
		}
	}
	slices.SortFunc(others, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.cpus, a.cpus), cmp.Compare(a.pid, b.pid))
	})
	busy := float64(w.after.busy-w.before.busy-(w.after.steal-w.before.steal))/ticksOfCPU - own
	f.Found = fmt.Sprintf("other processes use %.2f of %d CPUs", max(0, busy), w.after.cpus)
	var names []string
	known := 0.0
	for i, o := range others {
		if known += o.cpus; i < shownNames {
			names = append(names, fmt.Sprintf("%s (pid %d) %.2f", foreign.Line(o.name), o.pid, o.cpus))
		}
	}
	if short := busy - known; short > idleShare*float64(w.after.cpus) {
		names = append(names, fmt.Sprintf("%.2f by processes that ended meanwhile, and by the kernel", short))
	}
	if len(names) > 0 {
		f.Found += ": " + strings.Join(names, ", ")
	}
	switch {
	case busy < idleShare*float64(w.after.cpus):
		f.Grade = Good
	case busy < 0.2:
		f.Grade, f.Remedy = MayMove, "stop them while you measure"
	default:
		f.Grade, f.Remedy = Disturbs, "stop them while you measure, or choose a CPU that is idle: --cpu N"
	}
	return []Finding{f}
}

// ours reports whether a process is self, its ancestor or its descendant.
func ours(all map[int]process, pid, self int) bool {
	descends := func(pid, from int) bool {
		for range 1000 {
			if pid == from {
				return true
			}
			p, known := all[pid]
			if !known || pid <= 1 {
				return false
			}
			pid = p.parent
		}
		return false
	}
	return descends(pid, self) || descends(self, pid)
}

// stolen finds time that the host gave to others.
func stolen(_ system, w *watched) []Finding {
	f := Finding{Subject: "stolen time", Evidence: "/proc/stat, column steal"}
	all, steal := w.after.all-w.before.all, w.after.steal-w.before.steal
	if all <= 0 {
		f.Grade, f.Found = Unknown, "the system does not tell"
		return []Finding{f}
	}
	now, ever := float64(steal)/float64(all), float64(w.after.steal)/math.Max(1, float64(w.after.all))
	f.Found = fmt.Sprintf("the host took %s of the time while this was watched, %s since the system started",
		percent(now), percent(ever))
	const remedy = "ask for dedicated CPUs; zonemark marks what was taken, and measures longer"
	switch {
	case now >= stolenMuch:
		f.Grade, f.Remedy = Disturbs, remedy
	case ever >= stolenMuch:
		f.Grade, f.Remedy = MayMove, remedy
	default:
		f.Grade = Good
	}
	return []Finding{f}
}

func percent(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }

// throttling finds a processor that slowed itself down because it was hot.
func throttling(_ system, w *watched) []Finding {
	if len(w.after.throttled) == 0 {
		return nil
	}
	f := Finding{Subject: "throttling", Grade: Good, Found: "the processor has not slowed down because of heat",
		Evidence: "/sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count: 0"}
	for _, name := range slices.Sorted(maps.Keys(w.after.throttled)) {
		n, before := w.after.throttled[name], w.before.throttled[name]
		if n == 0 || f.Grade == Disturbs {
			continue
		}
		f.Evidence = fmt.Sprintf("/%s: %d", name, n)
		f.Grade, f.Found = MayMove, "the processor has slowed down because of heat since the system started"
		f.Remedy = "cool it, or lower its clock: cpupower frequency-set -u 2GHz"
		if n > before {
			f.Grade, f.Found = Disturbs, "the processor slows down because of heat now"
		}
	}
	return []Finding{f}
}

// swapping finds memory that goes to disk.
func swapping(_ system, w *watched) []Finding {
	if !w.after.swapKnown {
		return nil
	}
	f := Finding{Subject: "swapping", Grade: Good, Found: "no pages are swapped", Evidence: "/proc/vmstat, pswpin and pswpout"}
	if n := w.after.swapped - w.before.swapped; n > 0 {
		f.Grade, f.Found = Disturbs, fmt.Sprintf("%d pages were swapped while this was watched", n)
		f.Remedy = "free memory, or turn swapping off: swapoff -a"
	}
	return []Finding{f}
}
