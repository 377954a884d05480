package watching

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// familyMost bounds how many processes familyStopped looks at.
const familyMost = 1000

// familyStopped reports whether a signal has stopped a process that a process, or one below it, has started. It returns
// false where the system does not tell of children.
func familyStopped(pid int) bool {
	for list := Children(pid); len(list) > 0 && len(list) < familyMost; list = list[1:] {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(list[0]), "status"))
		if err != nil { // it has ended
			continue
		}
		if parseStatus(text).stopped {
			return true
		}
		list = append(list, Children(list[0])...)
	}
	return false
}

// Children returns the processes that the threads of a process have started and that still exist.
func Children(pid int) (list []int) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil { // the thread may have ended
			list = append(list, parseChildren(text)...)
		}
	}
	return list
}

// parseChildren reads the text of /proc/PID/task/TID/children (proc_tid_children(5)): numbers of processes. What is no
// such number is left out.
func parseChildren(text []byte) (list []int) {
	for field := range bytes.FieldsSeq(text) {
		if pid, err := strconv.ParseInt(string(field), 10, 32); err == nil && pid > 0 {
			list = append(list, int(pid))
		}
	}
	return list
}
