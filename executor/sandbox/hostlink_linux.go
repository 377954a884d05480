package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"zonemark/executor/sandbox/seccomp"

	"golang.org/x/sys/unix"
)

// hostLink leads from a confined process to its host: a pair of streams. The process sends a handOver once, which the
// host answers by a byte. Then the host sends the names of the system calls that it refuses, a line each.
type hostLink struct{ fd int }

const (
	controlFloor = 3000 // native code does not reach such numbers by closing or writing to small ones
	accepted     = 'y'  // the answer to a handOver
	mostControl  = 64 << 10
)

// newHostLink returns both ends.
func newHostLink() (host, inside *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control"), nil
}

// takeHostLink moves the descriptor that the host has passed on to a high number.
func takeHostLink(fd int) (*hostLink, error) {
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, controlFloor)
	if errors.Is(err, unix.EINVAL) { // such numbers are beyond the limit of descriptors
		high, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: descriptor of the host: %w", err)
	}
	return &hostLink{fd: high}, unix.Close(fd)
}

// hand hands the listener to the host, which takes a copy of it.
func (l *hostLink) hand(h handOver) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if _, err := unix.Write(l.fd, append(text, '\n')); err != nil {
		return fmt.Errorf("the host: %w", err)
	}
	answer := make([]byte, 1)
	for {
		n, err := unix.Read(l.fd, answer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("the host: %w", err)
		case n != 1 || answer[0] != accepted:
			return errors.New("the host cannot arbitrate")
		}
		return nil
	}
}

// refused returns the calls whose names have come since it was called last.
func (l *hostLink) refused() []Refusal {
	text := make([]byte, mostControl)
	n, _, err := unix.Recvfrom(l.fd, text, unix.MSG_DONTWAIT)
	if err != nil || n <= 0 {
		return nil
	}
	var names seccomp.Refusals
	for name := range strings.FieldsSeq(string(text[:n])) {
		names.Add(name, "", false)
	}
	return names.Take()
}
