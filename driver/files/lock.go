package files

import "errors"

// ErrLocked reports that another process holds the lock.
var ErrLocked = errors.New("another run is writing to it: wait for that run or name another file")

// UnsupportedError reports that the file system has no locks.
type UnsupportedError struct{ Err error }

func (e *UnsupportedError) Error() string { return "this file system has no locks: " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *UnsupportedError) Unwrap() error { return e.Err }
