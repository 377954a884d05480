//go:build unix

package hosting

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// hostFiles returns the descriptors of a trace host: the protocol's, which it passes on, and the one for its result.
// Processes that the host starts inherit only what it passes on.
func hostFiles() (protocol []*os.File, report *os.File, err error) {
	var files []*os.File
	for i, name := range []string{"from the driver", "to the driver", "result of the capture"} {
		fd := i + 3
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
			return nil, nil, fmt.Errorf("descriptor %d (%s): %w", fd, name, err)
		}
		files = append(files, os.NewFile(uintptr(fd), name))
	}
	return files[:2], files[2], nil
}
