package cgroups

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindMemory finds where groups can be made, in descriptions of machines.
func TestFindMemory(t *testing.T) {
	const v1, v2 = "4:memory:/a/b\n0::/\n", "0::/user/own\n"
	for name, c := range map[string]struct {
		files  map[string]string
		folder string // empty: nowhere
		limit  string
	}{
		"version 1": {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/a/b/cgroup.procs": "1\n7\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "1"}, "sys/fs/cgroup/memory/a/b", "memory.limit_in_bytes"},
		"version 1 in a container": {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/cgroup.procs": "7\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1"}, "sys/fs/cgroup/memory", "memory.limit_in_bytes"},
		"the group of others": {map[string]string{"proc/self/cgroup": v1, "sys/fs/cgroup/memory/a/b/cgroup.procs": "77\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "1"}, "", ""},
		"version 2": {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/user/own/cgroup.procs": "7",
			"sys/fs/cgroup/user/own/cgroup.subtree_control": "cpu memory"}, "sys/fs/cgroup/user/own", "memory.max"},
		"version 2, delegated": {map[string]string{"proc/self/cgroup": v2, "sys/fs/cgroup/user/own/cgroup.procs": "7",
			"sys/fs/cgroup/user/own/memory.max": "max", "sys/fs/cgroup/user/own/cpu.max": "max 100000",
			"sys/fs/cgroup/user/cgroup.subtree_control": "memory pids"}, "sys/fs/cgroup/user", "memory.max"},
		"version 2 with a limit that must hold": {map[string]string{"proc/self/cgroup": v2,
			"sys/fs/cgroup/user/own/cgroup.procs": "7", "sys/fs/cgroup/user/own/cpu.max": "50000 100000",
			"sys/fs/cgroup/user/cgroup.subtree_control": "memory"}, "", ""},
		"nothing": {nil, "", ""},
	} {
		m, err := findMemory(func(file string) string { return strings.TrimSpace(c.files[file]) }, 7)
		if (err == nil) != (c.folder != "") || err == nil && (m.folder != c.folder || m.files.limit != c.limit) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// TestBeginOf has a process that has ended begin never, also if it is a zombie.
func TestBeginOf(t *testing.T) {
	const rest = " 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 "
	for stat, want := range map[string]string{
		"7 (a) b) S" + rest + "991 0 0": "991", "7 (a) Z" + rest + "991 0 0": "", "7 (a) S 1": "", "": "",
	} {
		if got := beginOf(func(string) string { return stat }, 7); got != want {
			t.Errorf("%q began at %q, want %q", stat, got, want)
		}
	}
}

// TestMemoryGroups makes groups of this process in a folder that stands for one of control groups, and has those of dead
// processes removed.
func TestMemoryGroups(t *testing.T) {
	folder := t.TempDir()
	m := &Memory{folder: strings.TrimPrefix(folder, "/")}
	own := groupName(readSystemFile, os.Getpid(), 3)
	parts, ours := groupParts(own)
	if !ours || parts[3] == "" {
		t.Fatalf("the name of a group is %q", own)
	}
	before := strings.Join([]string{parts[0], parts[1], parts[2], "1", "1"}, "-")
	elsewhere := strings.Join([]string{parts[0], "1", parts[2], "1", "1"}, "-")
	for _, name := range []string{own, before, elsewhere, "zonemark-test-1", "other"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.removeStale(readSystemFile)
	for name, stays := range map[string]bool{own: true, before: false, elsewhere: true, "zonemark-test-1": true, "other": true} {
		if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	if g, err := m.Limit(os.Getpid(), 1<<30); err == nil {
		t.Errorf("a folder is taken for a control group: %+v", g)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 4 {
		t.Errorf("%v, %v: a group that failed is left", entries, err)
	}
	if !inMemoryGroup("4:memory:/a/"+own+"\n") || inMemoryGroup("4:memory:/zonemark-test-1\n0::/\n") {
		t.Error("membership")
	}
}
