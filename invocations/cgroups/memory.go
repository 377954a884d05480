package cgroups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Memory makes control groups that limit memory, of one process each. They lie below the group of this process, or, in
// version 2, where a group with processes has none below it, beside it.
type Memory struct {
	folder string // in which groups are made
	files  memoryFiles
}

// memoryFiles are the names of the files of a version of the controller, and what is written there.
type memoryFiles struct {
	limit, kills string
	swap         string            // the limit of memory and swap together; may be missing
	settings     map[string]string // further ones, which may be missing
}

var memoryVersions = [...]memoryFiles{
	{limit: "memory.limit_in_bytes", swap: "memory.memsw.limit_in_bytes", kills: "memory.oom_control"},
	{limit: "memory.max", kills: "memory.events",
		settings: map[string]string{"memory.swap.max": "0", "memory.oom.group": "1"}},
}

// FindMemory returns where this process can make groups. The error says why it cannot.
func FindMemory() (*Memory, error) {
	m, err := findMemory(readSystemFile, os.Getpid())
	if err == nil {
		m.removeStale(readSystemFile)
	}
	return m, err
}

func findMemory(text ReadFile, pid int) (*Memory, error) {
	for _, folder := range Folders(text, "memory") {
		if !slices.Contains(strings.Fields(text(folder+"/cgroup.procs")), strconv.Itoa(pid)) {
			continue
		}
		if text(folder+"/"+memoryVersions[0].limit) != "" {
			return &Memory{folder, memoryVersions[0]}, nil
		}
		if divides(text, folder) {
			return &Memory{folder, memoryVersions[1]}, nil
		}
		if above := path.Dir(folder); divides(text, above) && unlimited(text, folder) {
			return &Memory{above, memoryVersions[1]}, nil
		}
	}
	return nil, errors.New("this process has no control group below or beside which it can make others that limit memory")
}

// divides reports whether groups below a folder can limit memory (cgroup.subtree_control of version 2).
func divides(text ReadFile, folder string) bool {
	return slices.Contains(strings.Fields(text(folder+"/cgroup.subtree_control")), "memory")
}

// unlimited reports whether a group has no limits, which those beside it would not have.
func unlimited(text ReadFile, folder string) bool {
	for _, name := range []string{"memory.max", "memory.high", "cpu.max", "pids.max"} {
		if value := text(folder + "/" + name); value != "" && !strings.HasPrefix(value, "max") {
			return false
		}
	}
	return text(folder+"/io.max") == "" && text(folder+"/cpuset.cpus") == ""
}

// MemoryGroup is a control group that limits the memory of a process and of what it starts.
type MemoryGroup struct {
	folder string // absolute
	kills  OutOfMemory
}

var madeGroups atomic.Int64

// Limit puts a process, which has just been started, into a group of its own that limits its memory, in bytes. The memory
// counts that it takes from then on: private and shared, files in memory, buffers and tables of the kernel, and what the
// kernel keeps of files that it reads, which makes room when it is needed.
func (m *Memory) Limit(pid int, bytes int64) (*MemoryGroup, error) {
	name := groupName(readSystemFile, os.Getpid(), madeGroups.Add(1))
	folder := filepath.Join("/", m.folder, name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, fmt.Errorf("a control group: %w", err)
	}
	g := &MemoryGroup{folder, OutOfMemory{readSystemFile, m.folder + "/" + name + "/" + m.files.kills}}
	if err := g.set(m.files, bytes); err != nil {
		return nil, errors.Join(err, os.Remove(folder))
	}
	if err := g.Add(pid); err != nil {
		return nil, errors.Join(err, os.Remove(folder))
	}
	return g, nil
}

func (g *MemoryGroup) set(names memoryFiles, bytes int64) error {
	value := strconv.FormatInt(bytes, 10)
	err := g.write(names.limit, value)
	if err == nil && names.swap != "" {
		err = g.writeIfThere(names.swap, value)
	}
	for name, value := range names.settings {
		if err == nil {
			err = g.writeIfThere(name, value)
		}
	}
	return err
}

func (g *MemoryGroup) writeIfThere(name, value string) error {
	if err := g.write(name, value); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (g *MemoryGroup) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(g.folder, name), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(value)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("a control group: %w", err)
	}
	return nil
}

// Add puts a further process into the group.
func (g *MemoryGroup) Add(pid int) error { return g.write("cgroup.procs", strconv.Itoa(pid)) }

// Killed reports whether the kernel has ended a process of the group because its memory ran out.
func (g *MemoryGroup) Killed() bool { return g.kills.Kills() > 0 }

// Remove removes the group. It waits a while for the end of its processes.
func (g *MemoryGroup) Remove() error {
	const longest = 256 * time.Millisecond
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Remove(g.folder)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if wait > longest {
			return err
		}
		time.Sleep(wait)
	}
}

// groupPrefix begins the names of groups of this package.
const groupPrefix = "zonemark"

// groupName returns the name of a group: it tells which process has made it, also if the number of that is used again.
func groupName(text ReadFile, pid int, number int64) string {
	return fmt.Sprintf("%s-%s-%d-%s-%d", groupPrefix, ownNamespace(), pid, beginOf(text, pid), number)
}

// ownNamespace returns the number of the namespace of processes in which this process has its number.
func ownNamespace() string {
	link, _ := os.Readlink("/proc/self/ns/pid")
	return strings.Trim(link, "pid:[]")
}

// beginOf returns when a process began, in the system's clock ticks (proc_pid_stat(5)); empty if there is none, or if it
// has ended and nobody has asked for its status: the first process of a container may never do so.
func beginOf(text ReadFile, pid int) string {
	const state, begin = 0, 19 // behind the name of the program, which is in parentheses
	stat := text("proc/" + strconv.Itoa(pid) + "/stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= begin || fields[state] == "Z" {
		return ""
	}
	return fields[begin]
}

// removeStale removes groups of processes that have ended. The kernel removes none that has processes.
func (m *Memory) removeStale(text ReadFile) {
	entries, err := os.ReadDir(filepath.Join("/", m.folder))
	if err != nil {
		return
	}
	for _, e := range entries {
		if isStale(text, e.Name()) {
			_ = os.Remove(filepath.Join("/", m.folder, e.Name())) // its processes may not have ended
		}
	}
}

// isStale reports whether a name is that of a group whose maker has ended.
func isStale(text ReadFile, name string) bool {
	parts, ours := groupParts(name)
	if !ours || parts[1] != ownNamespace() {
		return false
	}
	pid, err := strconv.Atoi(parts[2])
	return err == nil && beginOf(text, pid) != parts[3]
}

// groupParts returns the parts of a name that groupName made.
func groupParts(name string) (parts []string, ours bool) {
	parts = strings.Split(name, "-")
	return parts, len(parts) == 5 && parts[0] == groupPrefix
}

// InMemoryGroup reports whether this process is in a group that Limit has made.
func InMemoryGroup() bool { return inMemoryGroup(readSystemFile("proc/self/cgroup")) }

func inMemoryGroup(text string) bool {
	for line := range strings.Lines(text) {
		if _, ours := groupParts(path.Base(strings.TrimSpace(line))); ours {
			return true
		}
	}
	return false
}
