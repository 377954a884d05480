//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package driver

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockJournal takes an exclusive advisory lock, which the kernel gives up when the process ends, however it ends.
func lockJournal(f *os.File) (unlock func() error, err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, errLocked
	}
	return nil, &lockUnsupportedError{err}
}
