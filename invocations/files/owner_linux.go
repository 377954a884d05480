package files

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ownerRuns reports whether the process that has locked a file still runs, and will go on; true if the system does not tell. The
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

// runs reports whether a process has not ended, and is not about to.
func runs(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !ends(string(text))
}

// ends reports, by the text of /proc/PID/stat (proc_pid_stat(5)), whether a process has ended, ends at this moment, or
// was killed and has not noticed yet. One that has ended stays in /proc until its parent knows.
func ends(stat string) bool {
	const exiting = 0x4                                                 // PF_EXITING in include/linux/sched.h
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // behind the name of the command
	if len(fields) < 29 {
		return false
	}
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	pending, err2 := strconv.ParseUint(fields[28], 10, 64)
	return fields[0] == "Z" || fields[0] == "X" || err == nil && flags&exiting != 0 ||
		err2 == nil && pending&(1<<(syscall.SIGKILL-1)) != 0
}
