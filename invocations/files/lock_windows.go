package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes an exclusive lock and does not wait for it. The error is ErrLocked if another process holds it, and an
// *UnsupportedError if there are no locks. The system gives the lock up when the process ends, however it ends. The
// lock is on a file beside f, NAME.lock, which is not removed. A lock on f itself would cover its bytes and so block
// its readers.
func TryLock(f File) (unlock func() error, err error) {
	beside, err := os.OpenFile(f.Name()+".lock", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	handle, at := windows.Handle(beside.Fd()), new(windows.Overlapped)
	err = windows.LockFileEx(handle, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	switch {
	case err == nil:
		return func() error {
			return errors.Join(windows.UnlockFileEx(handle, 0, 1, 0, new(windows.Overlapped)), beside.Close())
		}, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		err = ErrLocked
	default:
		err = &UnsupportedError{err}
	}
	return nil, errors.Join(err, beside.Close())
}
