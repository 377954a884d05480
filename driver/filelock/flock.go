//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes an exclusive advisory lock, which the kernel gives up when the process ends, however it ends; ErrLocked when another process holds it.
func Lock(f *os.File) (unlock func() error, err error) {
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
