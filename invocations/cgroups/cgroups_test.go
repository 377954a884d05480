package cgroups

import (
	"slices"
	"testing"
)

// scripted are the files of a machine.
type scripted map[string]string

func (s scripted) text(name string) string { return s[name] }

// The group that leaves the fewest threads counts, in either version of control groups.
func TestThreadsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		files   scripted
		left    int64
		limited bool
	}{
		"none": {scripted{}, 0, false},
		"no limit": {scripted{"proc/self/cgroup": "0::/user.slice\n", "sys/fs/cgroup/user.slice/pids.max": "max",
			"sys/fs/cgroup/user.slice/pids.current": "7"}, 0, false},
		"version 2": {scripted{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/pids.max": "max",
			"sys/fs/cgroup/a/b/pids.current": "7", "sys/fs/cgroup/a/pids.max": "200", "sys/fs/cgroup/a/pids.current": "60"},
			140, true},
		"version 1": {scripted{"proc/self/cgroup": "8:pids:/x\n4:memory:/m\n0::/\n", "sys/fs/cgroup/pids/x/pids.max": "200",
			"sys/fs/cgroup/pids/x/pids.current": "20", "sys/fs/cgroup/pids/pids.max": "100",
			"sys/fs/cgroup/pids/pids.current": "30", "sys/fs/cgroup/memory/m/pids.max": "1"}, 70, true},
		"full": {scripted{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/pids.max": "20",
			"sys/fs/cgroup/a/pids.current": "21"}, 0, true},
		"cut": {scripted{"proc/self/cgroup": "0::/a\nx\n", "sys/fs/cgroup/a/pids.max": "20"}, 0, false},
	} {
		if left, limited := findThreads(c.files.text).Left(); left != c.left || limited != c.limited {
			t.Errorf("%s: %d, %t; want %d, %t", name, left, limited, c.left, c.limited)
		}
	}
}

func TestFolders(t *testing.T) {
	files := scripted{"proc/self/cgroup": "3:cpu,cpuacct:/x/y\n2:memory:/\n1:freezer:/z\n0::/../q\n"}
	want := []string{"sys/fs/cgroup/cpu/x/y", "sys/fs/cgroup/cpu/x", "sys/fs/cgroup/cpu", "sys/fs/cgroup/memory",
		"sys/fs/cgroup/q", "sys/fs/cgroup", "sys/fs/cgroup/unified/q", "sys/fs/cgroup/unified"}
	if got := Folders(files.text, "cpu", "memory"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestOutOfMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files scripted
		want  int64
	}{
		"none": {scripted{}, -1},
		"version 2": {scripted{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.events": "low 0\noom 4\noom_kill 3\noom_group_kill 9\n",
			"sys/fs/cgroup/a/memory.events":   "oom_kill 7\n"}, 3},
		"version 1": {scripted{"proc/self/cgroup": "4:memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2"}, 2},
		"group that is not seen": {scripted{"proc/self/cgroup": "4:memory:/x\n",
			"sys/fs/cgroup/memory/memory.oom_control": "oom_kill 5"}, 5},
		"damaged": {scripted{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.events": "oom_kill x"}, -1},
	} {
		if got := findOutOfMemory(c.files.text).Kills(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
