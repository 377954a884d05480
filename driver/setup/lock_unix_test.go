//go:build unix

package setup

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"zonemark/driver/setup/command"
	"zonemark/invocations/files"
)

// The lock is held as long as a program that the installation started runs, even if zonemark itself has ended.
func TestLockIsInherited(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file-2")
	l, err := tryLock(folder)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	started, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- command.Command{Path: "/bin/sh", Args: []string{"-c", "echo started; sleep 600"}, Held: l.held(),
			Line: func(string) { close(started) }}.Run(ctx)
	}()
	<-started
	if err := l.file.Close(); err != nil { // as the kernel does when zonemark is killed
		t.Fatal(err)
	}
	if _, err := tryLock(folder); !errors.Is(err, files.ErrLocked) {
		t.Errorf("error %v, want that it is locked", err)
	}
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the program ended with %v", err)
	}
	wait, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	again, err := waitLock(wait, folder, func() {})
	if err != nil {
		t.Fatalf("after the program's end: %v", err)
	}
	if err := again.unlock(); err != nil {
		t.Error(err)
	}
}
