// Package cgroups reads what control groups of Linux, of both versions, say of this process. It is a leaf.
package cgroups

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// ReadFile returns the text of a file, without white space around it, by its path below the root; "" if it cannot be
// read.
type ReadFile func(name string) string

func readSystemFile(name string) string {
	text, _ := os.ReadFile(filepath.Join("/", name)) // what cannot be read tells nothing
	return strings.TrimSpace(string(text))
}

// Folders returns the folders of this process's control groups and of those above them, below sys/fs/cgroup:
// those of version 2, and those of the controllers of version 1.
func Folders(text ReadFile, controllers ...string) (folders []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(text("proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		var roots []string
		if parts[1] == "" { // version 2
			roots = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			for _, wanted := range controllers {
				if controller == wanted {
					roots = append(roots, "sys/fs/cgroup/"+controller)
				}
			}
		}
		for _, root := range roots {
			for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
				if folder := strings.TrimSuffix(root+at, "/"); !seen[folder] {
					seen[folder] = true
					folders = append(folders, folder)
				}
				if at == "/" {
					break
				}
			}
		}
	}
	return folders
}

// Threads are control groups of this process that limit how many threads and processes they have (pids.max).
type Threads struct {
	text    ReadFile
	folders []string
}

// FindThreads returns those of this process.
func FindThreads() Threads { return findThreads(readSystemFile) }

func findThreads(text ReadFile) Threads {
	g := Threads{text: text}
	for _, folder := range Folders(text, "pids") {
		if _, err := strconv.ParseInt(text(folder+"/pids.max"), 10, 64); err == nil { // not "max"
			g.folders = append(g.folders, folder)
		}
	}
	return g
}

// Left returns how many threads can still be started; false if no group limits them.
func (g Threads) Left() (left int64, limited bool) {
	for _, folder := range g.folders {
		most, err := strconv.ParseInt(g.text(folder+"/pids.max"), 10, 64)
		if err != nil {
			continue
		}
		has, err := strconv.ParseInt(g.text(folder+"/pids.current"), 10, 64)
		if err != nil {
			continue
		}
		if n := max(0, most-has); !limited || n < left {
			left, limited = n, true
		}
	}
	return left, limited
}

// OutOfMemory counts how often the kernel has ended processes of this process's control group because memory ran out:
// that of the group, of one above it, or of the machine.
type OutOfMemory struct {
	text ReadFile
	file string // empty: nothing counts
}

// FindOutOfMemory returns the count of this process's group.
func FindOutOfMemory() OutOfMemory { return findOutOfMemory(readSystemFile) }

func findOutOfMemory(text ReadFile) OutOfMemory {
	for _, folder := range Folders(text, "memory") { // the group comes before those above it
		for _, name := range []string{"/memory.events", "/memory.oom_control"} { // versions 2 and 1
			if o := (OutOfMemory{text, folder + name}); o.Kills() >= 0 {
				return o
			}
		}
	}
	return OutOfMemory{}
}

// Kills returns how often; -1 if nothing counts.
func (o OutOfMemory) Kills() int64 {
	if o.file == "" {
		return -1
	}
	for line := range strings.Lines(o.text(o.file)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}
