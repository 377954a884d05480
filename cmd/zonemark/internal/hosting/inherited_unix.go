//go:build unix

package hosting

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// KeepInherited has every descriptor from 3 on that this process was started with end in the processes that it starts,
// whoever starts them and whatever for: a lock that a shell holds, make's jobs, a log that another program writes. Native
// code could use them, whatever the sandbox says. The process itself keeps them: paths such as /dev/fd/63 lead there.
//
// main calls it before anything else, except in an executor, which is started by zonemark and with the descriptors that
// it needs.
func KeepInherited() {
	if closeRange(3) == nil {
		return
	}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // nothing tells which there are
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= 3 {
			unix.CloseOnExec(fd) // one that was closed meanwhile was that of the folder
		}
	}
}
