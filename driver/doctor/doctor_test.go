package doctor

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// quiet is a machine on which nothing disturbs.
func quiet() map[string]string {
	return map[string]string{
		"proc/stat":                                                       "cpu  100 0 100 9800 0 0 0 0 0 0\ncpu0 50 0 50 4900 0 0 0 0\ncpu1 50 0 50 4900 0 0 0 0\n",
		"proc/7/stat":                                                     "7 (a (b) c) S 1 7 7 0 -1 0 0 0 0 0 40 2 0 0 20 0 1 0 1 1 1",
		"proc/vmstat":                                                     "pswpin 5\npswpout 6\n",
		"proc/cpuinfo":                                                    "processor : 0\nflags : fpu sse\n",
		"proc/sys/kernel/randomize_va_space":                              "2\n",
		"proc/self/status":                                                "Name:\tx\nCpus_allowed_list:\t0-1\n",
		"proc/self/cgroup":                                                "0::/user/one\n",
		"sys/fs/cgroup/user/one/cpu.max":                                  "max 100000\n",
		"sys/fs/cgroup/user/one/memory.max":                               "max\n",
		cpuFiles + "online":                                               "0-1\n",
		cpuFiles + "cpu0/cpufreq/scaling_governor":                        "performance\n",
		cpuFiles + "cpu1/cpufreq/scaling_governor":                        "performance\n",
		cpuFiles + "intel_pstate/no_turbo":                                "1\n",
		cpuFiles + "cpu0/topology/thread_siblings_list":                   "0\n",
		cpuFiles + "cpu1/topology/thread_siblings_list":                   "1\n",
		cpuFiles + "cpu0/thermal_throttle/core_throttle_count":            "0\n",
		"sys/devices/system/node/online":                                  "0\n",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
		"sys/class/thermal/thermal_zone0/temp":                            "45000\n",
		"sys/class/thermal/thermal_zone0/trip_point_0_temp":               "100000\n",
		"sys/class/power_supply/AC/online":                                "1\n",
		"sys/class/power_supply/AC/type":                                  "Mains\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	}
}

// files makes a file system of paths and contents. An empty content stands for no file.
func files(list map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range list {
		if text != "" {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return m
}

func examine(t *testing.T, list map[string]string, given Given) map[string]Finding {
	t.Helper()
	found, err := Examine(t.Context(), System{Files: files(list), PID: 7, Given: given})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Finding{}
	for _, f := range found {
		if f.Subject == "" || f.Found == "" || f.Evidence == "" {
			t.Errorf("an incomplete finding: %+v", f)
		}
		by[f.Subject] = f
	}
	return by
}

// works is what a running program finds where everything works.
var works = Given{Clock: "tsc", ResolutionNS: 10, Layers: []string{"user", "seccomp"}}

// Settings that disturb are found, with a remedy, and those that do not are good.
func TestSettings(t *testing.T) {
	for subject, f := range examine(t, quiet(), works) {
		unwatched := subject == "load" || subject == "stolen time" // both snapshots are the same
		if f.Grade != Good && !unwatched {
			t.Errorf("a quiet machine: %+v", f)
		}
	}
	for _, c := range []struct {
		name, text string // a file that differs; no text: it is missing
		subject    string
		grade      Grade
		remedy     string
	}{
		{cpuFiles + "cpu1/cpufreq/scaling_governor", "powersave", "governor", Disturbs, "cpupower frequency-set -g performance"},
		{cpuFiles + "intel_pstate/no_turbo", "0", "turbo", MayMove, "echo 1 > /" + cpuFiles + "intel_pstate/no_turbo"},
		{cpuFiles + "intel_pstate/no_turbo", "", "turbo", Unknown, ""},
		{cpuFiles + "cpu0/topology/thread_siblings_list", "0-1", "SMT", MayMove, "smt/control"},
		{"sys/devices/system/node/online", "0-1", "NUMA", MayMove, "numactl"},
		{"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never", "huge pages", MayMove, "--huge-pages"},
		{"proc/sys/kernel/randomize_va_space", "0", "address layout", Disturbs, "sysctl kernel.randomize_va_space=2"},
		{"proc/cpuinfo", "flags : fpu hypervisor sse", "virtual machine", MayMove, "dedicated"},
		{".dockerenv", "x", "container", MayMove, "machine itself"},
		{"sys/fs/cgroup/user/cpu.max", "150000 100000", "CPU limit", MayMove, "CPUQuota"},
		{"sys/fs/cgroup/user/one/memory.max", "1073741824", "memory limit", MayMove, "less"},
		{"proc/self/status", "Cpus_allowed_list:\t1\n", "CPUs", MayMove, "taskset"},
		{"sys/class/thermal/thermal_zone0/temp", "95000", "temperature", MayMove, "cool"},
		{"sys/class/power_supply/AC/online", "0", "power", Disturbs, "plug"},
		{cpuFiles + "cpu0/thermal_throttle/core_throttle_count", "3", "throttling", MayMove, "cool"},
	} {
		list := quiet()
		list[c.name] = c.text
		f := examine(t, list, works)[c.subject]
		if f.Grade != c.grade || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s %q: %+v, want %s and a remedy with %q", c.name, c.text, f, c.grade, c.remedy)
		}
	}
}

// What a running program finds is judged.
func TestGiven(t *testing.T) {
	list := quiet()
	list["proc/sys/kernel/perf_event_paranoid"] = "4"
	list["proc/sys/kernel/unprivileged_userns_clone"] = "0"
	found := examine(t, list, Given{
		Clock: "monotonic", ClockNote: "it is not invariant", ResolutionNS: 30, Counters: "not permitted",
		Layers: []string{"seccomp"}, Missing: map[string]string{"user": "operation not permitted"},
	})
	for subject, remedy := range map[string]string{
		"counters": "sysctl kernel.perf_event_paranoid=2", "sandbox": "sysctl kernel.unprivileged_userns_clone=1", "clock": "",
	} {
		if f := found[subject]; f.Grade != MayMove || f.Remedy != remedy {
			t.Errorf("%s: %+v, want the remedy %q", subject, f, remedy)
		}
	}
}

// Each reason why nothing is counted has its own remedy.
func TestCounters(t *testing.T) {
	for _, c := range []struct{ why, paranoid, remedy string }{
		{"not permitted: it is 4", "4", "sysctl kernel.perf_event_paranoid=2"},
		{"a seccomp filter refuses perf_event_open", "2", "--cap-add PERFMON"},
		{"the kernel has no perf events, or a container's seccomp filter hides them", "", "--cap-add PERFMON"},
		{"this machine offers no hardware counters", "4", "virtual PMU"},
	} {
		list := quiet()
		list["proc/sys/kernel/perf_event_paranoid"] = c.paranoid
		list["proc/cpuinfo"] = "flags : fpu hypervisor sse"
		g := works
		g.Counters = c.why
		f := examine(t, list, g)["counters"]
		if f.Grade != MayMove || !strings.Contains(f.Remedy, c.remedy) || !strings.Contains(f.Found, c.why) {
			t.Errorf("%+v, want the remedy %q", f, c.remedy)
		}
	}
}

// Of what happens during the watch, the work of others counts, and that of this process does not.
func TestWatch(t *testing.T) {
	before := quiet()
	before["proc/8/stat"] = "8 (other) S 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1"
	before["proc/9/stat"] = "9 (child) S 7 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1"
	after := maps.Clone(before)
	after["proc/stat"] = "cpu  200 0 100 9860 0 0 0 40 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n"
	after["proc/8/stat"] = "8 (other) S 1 8 8 0 -1 0 0 0 0 0 60 0 0 0 20 0 1 0 1 1 1"
	after["proc/9/stat"] = "9 (child) S 7 9 9 0 -1 0 0 0 0 0 40 0 0 0 20 0 1 0 1 1 1"
	after["proc/vmstat"] = "pswpin 9\npswpout 6\n"
	after[cpuFiles+"cpu0/thermal_throttle/core_throttle_count"] = "1\n"
	w := &watched{look(files(before)), look(files(after))}
	s := system{System{Files: files(after), PID: 7}}
	// 200 ticks passed on two CPUs: 60 of another process, 40 of a child, 40 stolen.
	f := load(s, w)[0]
	if f.Grade != Disturbs || !strings.HasPrefix(f.Found, "other processes use 0.60 of 2 CPUs: other (pid 8) 0.60") {
		t.Errorf("load: %+v", f)
	}
	if f := stolen(s, w)[0]; f.Grade != Disturbs || !strings.Contains(f.Found, "20 %") {
		t.Errorf("stolen time: %+v", f)
	}
	if f := throttling(s, w)[0]; f.Grade != Disturbs {
		t.Errorf("throttling: %+v", f)
	}
	if f := swapping(s, w)[0]; f.Grade != Disturbs || !strings.Contains(f.Found, "4 pages") {
		t.Errorf("swapping: %+v", f)
	}
}

// An empty system gives findings that say so.
func TestNothingIsKnown(t *testing.T) {
	for subject, f := range examine(t, nil, works) {
		if f.Grade == Disturbs {
			t.Errorf("%s of an empty system: %+v", subject, f)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Examine(ctx, System{Files: files(nil), Watch: 1 << 40}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// Lists of CPUs are counted and shown.
func TestLists(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-3": 4, "0-3,8": 5, "": 0, "x": 0, "3-1": 0, "0-99999999": 0} {
		if got := count(list); got != want {
			t.Errorf("%q: %d CPUs, want %d", list, got, want)
		}
	}
	if got := listed([]int{8, 1, 0, 2}); got != "0-2,8" {
		t.Errorf("listed: %q", got)
	}
}

// Whatever stands in the files, examining ends without a panic, and each finding is complete.
func FuzzExamine(f *testing.F) {
	for name, text := range quiet() {
		f.Add(name, text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		list := quiet()
		if fs.ValidPath(name) && list[name] != "" {
			list[name] = text
		}
		list["proc/8/stat"], list["proc/self/cgroup"], list["sys/fs/cgroup/cpu.stat"] = text, text, text
		examine(t, list, works)
	})
}
