package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of those that processes which it has started leave behind, so that they can be
// found. It reports whether the system allows that.
func adopt() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// children returns the processes that this one is the parent of, by their numbers, with their names. It collects those
// that have ended. Nobody else may wait for a process meanwhile.
func children() map[int]string {
	list := map[int]string{}
	var info unix.Siginfo
	if unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) != nil {
		return list // there are none, as nearly always
	}
	for {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != nil || pid <= 0 {
			break
		}
	}
	tasks, _ := filepath.Glob("/proc/self/task/*/children") // each thread has its own
	for _, file := range tasks {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, number := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(number)
			if err != nil {
				continue
			}
			name, err := os.ReadFile("/proc/" + number + "/comm")
			if err != nil {
				continue // it has ended
			}
			list[pid] = string(bytes.TrimSpace(name))
		}
	}
	return list
}
