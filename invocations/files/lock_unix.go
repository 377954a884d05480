//go:build unix

package files

import (
	"errors"

	"golang.org/x/sys/unix"
)

// TryLock takes an exclusive advisory lock on an open file and does not wait for it. The error is ErrLocked if another
// process holds it, and an *UnsupportedError if there are no locks. The kernel gives the lock up when the last process
// that has inherited the file ends, however it ends.
func TryLock(f File) (unlock func() error, err error) {
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
		return nil, ErrLocked
	}
	return nil, &UnsupportedError{err}
}
