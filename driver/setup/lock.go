package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"zonemark/invocations/files"
)

// lockPause is the time between two looks at a lock that another process holds.
const lockPause = 200 * time.Millisecond

// lock is the right to change a component's folder. The programs that an installation starts inherit the open file. If
// zonemark is killed while its pip still runs, the folder therefore stays locked.
type lock struct {
	file    *os.File
	release func() error
}

// tryLock takes the lock of a component's folder. The error is files.ErrLocked if another process holds it. The file
// stays when the lock is released, since removing it would race with the next process.
func tryLock(folder string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return nil, fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	f, err := os.OpenFile(folder+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	release, err := files.TryLock(f)
	if err == nil {
		return &lock{f, release}, nil
	}
	f.Close()
	if errors.Is(err, files.ErrLocked) {
		return nil, files.ErrLocked
	}
	return nil, fmt.Errorf("lock %s: %w; set ZONEMARK_HOME to a folder on a file system that has locks", f.Name(), err)
}

// waitLock takes the lock, and calls waiting once if it must wait for another process.
func waitLock(ctx context.Context, folder string, waiting func()) (*lock, error) {
	for told := false; ; {
		l, err := tryLock(folder)
		if !errors.Is(err, files.ErrLocked) {
			return l, err
		}
		if !told {
			waiting()
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

// held returns the file that programs of the installation keep open.
func (l *lock) held() *os.File { return l.file }

// unlock releases the lock.
func (l *lock) unlock() error { return errors.Join(l.release(), l.file.Close()) }
