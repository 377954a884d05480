//go:build unix

package serving

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ProtocolFiles moves the two protocol descriptors to numbers above floor and marks them close-on-exec. Native code
// that writes to small numbers or closes them then misses the protocol. If the limit on descriptors is lower, they go
// as high as it allows.
func ProtocolFiles(in, out, floor int) (r, w *os.File, err error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil, nil, fmt.Errorf("limit on descriptors: %w", err)
	}
	if most := int(min(limit.Cur, 1<<20)) - 8; floor > most {
		floor = most
	}
	if r, err = moveAbove(in, floor, "from the driver"); err != nil {
		return nil, nil, err
	}
	w, err = moveAbove(out, floor, "to the driver")
	return r, w, err
}

func moveAbove(fd, floor int, name string) (*os.File, error) {
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, floor)
	if err != nil {
		return nil, fmt.Errorf("descriptor %d %s: %w", fd, name, err)
	}
	if err := unix.Close(fd); err != nil {
		return nil, fmt.Errorf("descriptor %d %s: %w", fd, name, err)
	}
	return os.NewFile(uintptr(high), name), nil
}
