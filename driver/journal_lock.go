package driver

import "errors"

// errLocked reports that another run holds the lock of a journal.
var errLocked = errors.New("another run is writing to it: wait for that run or name another file")

// lockUnsupportedError reports that the file system has no locks.
type lockUnsupportedError struct{ err error }

func (e *lockUnsupportedError) Error() string { return "no locks: " + e.err.Error() }
func (e *lockUnsupportedError) Unwrap() error { return e.err }
