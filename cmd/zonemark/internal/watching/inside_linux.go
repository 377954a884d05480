package watching

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// lookInside adds what the processes in a namespace take, of which the watched process is the host, to what that takes
// itself.
func (w *watch) lookInside(sum *processStatus) {
	if !w.limits.Namespace {
		return
	}
	if time.Since(w.listed) > familyEvery {
		w.inside, w.listed = w.listInside(), time.Now()
	}
	for _, folder := range w.inside {
		text, err := os.ReadFile(filepath.Join(folder, "status"))
		if err != nil { // it has ended
			continue
		}
		s := parseStatus(text)
		sum.stopped = sum.stopped || s.stopped
		sum.threads += s.threads
		sum.privateBytes += s.privateBytes
		sum.sharedBytes += s.sharedBytes
		sum.tableBytes += s.tableBytes
	}
}

// listInside returns the folders of the processes in the namespace but its first, which does nothing or is the watched
// one. It returns nil if there is no namespace: not yet, or not on this machine. What a build has started counts in any
// case.
//
// The namespace has a /proc of its own. This process is not in the namespace, so it has no number there. In a /proc
// where it has one, all processes of the machine would be counted.
func (w *watch) listInside() (inside []string) {
	root := w.root("proc")
	if _, err := os.Readlink(filepath.Join(root, "self")); err == nil {
		if w.limits.Build {
			inside = belowProcess(w.process.Pid)
		}
		return inside
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n != 1 {
			inside = append(inside, filepath.Join(root, e.Name()))
		}
	}
	return inside
}

// belowProcess returns the folders of what a process has started, and of what that has.
func belowProcess(pid int) (folders []string) {
	for list := Children(pid); len(list) > 0 && len(folders) < familyMost; list = list[1:] {
		folders = append(folders, filepath.Join("/proc", strconv.Itoa(list[0])))
		list = append(list, Children(list[0])...)
	}
	return folders
}

// root returns a path as the watched process sees it.
func (w *watch) root(path string) string {
	return filepath.Join("/proc", strconv.Itoa(w.process.Pid), "root", path)
}

// sharedMemoryFiles returns the size of what is in a /dev/shm of the namespace's own.
func (w *watch) sharedMemoryFiles() int64 {
	const folder = "/dev/shm"
	var own, machine syscall.Stat_t
	var s syscall.Statfs_t
	if w.inside == nil || syscall.Stat(w.root(folder), &own) != nil || syscall.Stat(folder, &machine) != nil ||
		own.Dev == machine.Dev || syscall.Statfs(w.root(folder), &s) != nil {
		return 0
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize
}

// sharedInside returns the shared memory of the processes in the namespace, mapped or not, each page once. It takes the
// processes' locks of their memory for a moment, so it is called only if the limit may be exceeded.
func (w *watch) sharedInside() int64 {
	files := map[uint64]bool{}
	for f := range w.hiddenFiles() {
		files[f.inode] = true
	}
	if entries, err := os.ReadDir(w.root("dev/shm")); err == nil && w.sharedMemoryFiles() > 0 {
		for _, e := range entries {
			var s syscall.Stat_t
			if syscall.Stat(filepath.Join(w.root("dev/shm"), e.Name()), &s) == nil {
				files[s.Ino] = true
			}
		}
	}
	total := w.hidden
	for _, folder := range w.inside {
		text, err := os.ReadFile(filepath.Join(folder, "smaps"))
		if err != nil { // it has ended
			continue
		}
		total += sharedOf(text) - residentOf(text, files, "Pss:")
	}
	return total
}

// privateInside returns the private memory of the processes in the namespace and of their host, in bytes. Pages that
// they have in common since a fork count once. Like sharedInside, it is not for every look.
func (w *watch) privateInside() (total int64) {
	for _, folder := range append([]string{filepath.Join("/proc", strconv.Itoa(w.process.Pid))}, w.inside...) {
		text, err := os.ReadFile(filepath.Join(folder, "smaps_rollup"))
		if err != nil { // it has ended
			continue
		}
		total += privateOf(text)
	}
	return total
}

// privateOf returns a process's share of private memory, resident or swapped, by the text of /proc/PID/smaps_rollup
// (proc_pid_smaps(5)).
func privateOf(text []byte) (total int64) {
	for line := range bytes.Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(rest)
		if string(name) != "Pss_Anon" && string(name) != "SwapPss" || len(fields) == 0 {
			continue
		}
		if kilobytes, err := parseCount(fields[0]); err == nil {
			total += kilobytes << 10
		}
	}
	return total
}

// sharedOf adds up this process's share of the mappings of shared memory in the text of /proc/PID/smaps. Such mappings
// have the letter s in their mode, and no file on a disk: a device of major number 0.
func sharedOf(text []byte) (total int64) {
	wanted := false
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) >= 5 && bytes.IndexByte(fields[0], '-') > 0 {
			wanted = bytes.HasSuffix(fields[1], []byte("s")) && bytes.HasPrefix(fields[3], []byte("00:"))
			continue
		}
		if wanted && len(fields) == 3 && string(fields[0]) == "Pss:" {
			if kilobytes, err := parseCount(fields[1]); err == nil {
				total += kilobytes << 10
			}
		}
	}
	return total
}
