package files

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ownerRuns reports whether the process that has locked a file still runs; true if the system does not tell. The
// kernel's list has no locks of other machines and other containers. Device numbers in it differ from those of stat on
// some file systems, so ownerRuns compares only the files' numbers.
func ownerRuns(f File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return true
	}
	file := fmt.Sprintf(":%d", stat.Ino)
	for line := range strings.Lines(string(list)) {
		// 12: FLOCK  ADVISORY  WRITE 4522 fe:00:9977987 0 EOF
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[1] == "FLOCK" && strings.HasSuffix(fields[5], file) && runs(fields[4]) {
			return true
		}
	}
	return false
}

// runs reports whether a process has not ended. One that has ended stays in /proc until its parent knows.
func runs(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	state := string(text[bytes.LastIndexByte(text, ')')+1:]) // behind the name of the command
	return !strings.HasPrefix(state, " Z") && !strings.HasPrefix(state, " X")
}
