package platform

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

// ControlGroups returns the folders of this process's control groups and of those above them, below sys/fs/cgroup: those
// of version 2, and those of the controllers of version 1.
func ControlGroups(text ReadFile, controllers ...string) (folders []string) {
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

// ThreadGroups are control groups of this process that limit how many threads and processes they have (pids.max).
type ThreadGroups struct {
	text    ReadFile
	folders []string
}

// FindThreadGroups returns those of this process.
func FindThreadGroups() ThreadGroups { return findThreadGroups(readSystemFile) }

func findThreadGroups(text ReadFile) ThreadGroups {
	g := ThreadGroups{text: text}
	for _, folder := range ControlGroups(text, "pids") {
		if _, err := strconv.ParseInt(text(folder+"/pids.max"), 10, 64); err == nil { // not "max"
			g.folders = append(g.folders, folder)
		}
	}
	return g
}

// Left returns how many threads can still be started; false if no group limits them.
func (g ThreadGroups) Left() (left int64, limited bool) {
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
