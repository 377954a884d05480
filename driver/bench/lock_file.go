//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lockFile makes a file beside f that must not exist yet; errLocked when it does. A process that is killed leaves it behind.
func lockFile(f *os.File) (unlock func() error, err error) {
	name := f.Name() + ".lock"
	lock, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; when no benchmark is running, delete %s", errLocked, name)
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := lock.Close(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() error { return os.Remove(name) }, nil
}
