//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lock makes a file beside f that must not exist yet; ErrLocked when it does. A process that is killed leaves it behind.
func Lock(f *os.File) (unlock func() error, err error) {
	name := f.Name() + ".lock"
	lock, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; when no run is active, delete %s", ErrLocked, name)
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	fmt.Fprintln(lock, os.Getpid())
	if err := lock.Close(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() error { return os.Remove(name) }, nil
}
