package files

import (
	"context"
	"errors"
	"time"
)

// ErrLocked reports that another process holds the lock.
var ErrLocked = errors.New("another run is writing to it: wait for that run or name another file")

// Lock waits for a lock whose owner has ended for at most remainsPatience, with remainsPause between two looks.
var (
	remainsPatience = 15 * time.Second
	remainsPause    = 5 * time.Millisecond
)

// Lock is TryLock for a lock that is not meant to be inherited. A program that the owner starts still has the owner's
// open files in the moment before it begins, so it keeps the lock of an owner that was killed in this moment. On a busy
// machine, both the program and an owner that was killed may have to wait for a CPU for seconds. Lock waits for the end
// of that. The error is ErrLocked, at once, if the owner runs.
func Lock(f File) (unlock func() error, err error) {
	for end := time.Now().Add(remainsPatience); ; time.Sleep(remainsPause) {
		unlock, err = TryLock(f)
		if !errors.Is(err, ErrLocked) || ownerRuns(f) || time.Now().After(end) {
			return unlock, err
		}
	}
}

// WriterPatience is how long those who write a document wait for others who do: each holds the lock for milliseconds.
const WriterPatience = 30 * time.Second

// Await is TryLock for a document that is replaced. It waits until others have written theirs, at most for so long. The
// error is ErrLocked then, or the cause of the end of the context.
func Await(ctx context.Context, f File, patience time.Duration) (unlock func() error, err error) {
	for end := time.Now().Add(patience); ; {
		unlock, err = TryLock(f)
		if !errors.Is(err, ErrLocked) || time.Now().After(end) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(remainsPause):
		}
	}
}

// UnsupportedError reports that the file system has no locks.
type UnsupportedError struct{ Err error }

func (e *UnsupportedError) Error() string { return "this file system has no locks: " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *UnsupportedError) Unwrap() error { return e.Err }
