//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bench

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive advisory lock, which the kernel gives up when the process ends, however it ends; errLocked when another process holds it.
func lockFile(f *os.File) (unlock func() error, err error) {
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
	return nil, fmt.Errorf("this file system has no locks: %w", err)
}
