// Package faults makes operations on files fail, one after the other, for tests of those who write results. It knows
// nothing of what the files hold.
package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"zonemark/driver/files"
)

// Kind is a way in which an operation fails.
type Kind string

// The kinds of faults.
const (
	NoSpace Kind = "no space"    // ENOSPC; nothing happens
	Input   Kind = "I/O error"   // EIO; nothing happens
	Short   Kind = "short write" // of a write, the first half is written, and then there is no space
	Full    Kind = "disk full"   // from then on, files cannot grow; everything else works
	// Crash: of a write, the first half is written. Then nothing happens any more, as if the process had been killed.
	Crash Kind = "crash"
)

var kinds = []Kind{NoSpace, Input, Short, Full, Crash}

// Fault is an operation that failed.
type Fault struct {
	Kind   Kind
	Number int    // of the operation, from 1; 0: none failed
	What   string // the operation with the name of its file; empty if the run has not come to it
}

func (f Fault) String() string {
	return fmt.Sprintf("%s at operation %d (%s)", f.Kind, f.Number, f.What)
}

// Each calls do in an empty folder once without a fault, which must succeed, and then once for each operation on a file
// of that folder and each kind of fault, each time in another folder. It then calls check, with what do returned, when
// files work again. Before do, it calls prepare without faults, unless that is nil. It fails if do makes fewer
// operations than least. Tests that use it cannot be parallel.
func Each(t *testing.T, least int, prepare, do func(folder string) error,
	check func(folder string, f Fault, err error)) {
	t.Helper()
	above := t.TempDir()
	try := func(f Fault) *system {
		folder, err := os.MkdirTemp(above, "")
		if err == nil && prepare != nil {
			err = prepare(folder)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := &system{folder: folder, fault: f}
		restore := files.Use(s)
		err = do(folder)
		s.end()
		restore()
		if f.Number == 0 && err != nil {
			t.Fatalf("without a fault: %v", err)
		}
		check(folder, s.fault, err)
		return s
	}
	operations := try(Fault{}).operations
	if len(operations) < least {
		t.Fatalf("%d operations, want at least %d: they are not made with package files", len(operations), least)
	}
	for _, kind := range kinds {
		for i, operation := range operations {
			if operation.can(kind) {
				try(Fault{Kind: kind, Number: i + 1})
			}
		}
	}
}

// operation is one that do has made.
type operation struct {
	what  string
	grows bool // it needs room on the disk
}

// can reports whether a kind of fault differs from the others for an operation.
func (o operation) can(kind Kind) bool {
	switch kind {
	case Short:
		return o.what == "write"
	case NoSpace, Full:
		return o.grows
	}
	return true
}

// system is a files.System that fails.
type system struct {
	folder string

	mu         sync.Mutex
	fault      Fault
	operations []operation
	crashed    bool
	halved     bool // a write has written its first half
	open       []*os.File
}

// errCrashed is what operations return after a crash. Nobody is there to see it.
var errCrashed = errors.New("the process is gone")

// fail counts an operation and returns the error that it fails with.
func (s *system) fail(what, path string, grows bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return errCrashed
	}
	if !strings.HasPrefix(path, s.folder) {
		return nil
	}
	s.operations = append(s.operations, operation{what, grows})
	now := len(s.operations) == s.fault.Number
	if now {
		s.fault.What = what + " " + filepath.Base(path)
	}
	err := func(errno syscall.Errno) error { return &fs.PathError{Op: what, Path: path, Err: errno} }
	switch s.fault.Kind {
	case NoSpace, Short:
		if now {
			return err(syscall.ENOSPC)
		}
	case Input:
		if now {
			return err(syscall.EIO)
		}
	case Full:
		if grows && len(s.operations) >= s.fault.Number {
			return err(syscall.ENOSPC)
		}
	case Crash:
		if s.crashed = now; now {
			return errCrashed
		}
	}
	return nil
}

// end closes what do has left open, as the end of a process does.
func (s *system) end() {
	for _, f := range s.open {
		_ = f.Close() // most are closed
	}
}

func (s *system) opened(f *os.File, err error) (files.File, error) {
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, f)
	return &file{f, s}, nil
}

func (s *system) OpenFile(path string, flags int, mode fs.FileMode) (files.File, error) {
	if err := s.fail("open", path, flags&os.O_CREATE != 0 && !exists(path)); err != nil {
		return nil, err
	}
	return s.opened(os.OpenFile(path, flags, mode))
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func (s *system) CreateTemp(folder, pattern string) (files.File, error) {
	if err := s.fail("create", filepath.Join(folder, pattern), true); err != nil {
		return nil, err
	}
	return s.opened(os.CreateTemp(folder, pattern))
}

func (s *system) Rename(from, to string) error {
	if err := s.fail("rename", from, true); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (s *system) Link(from, to string) error {
	if err := s.fail("link", to, true); err != nil {
		return err
	}
	return os.Link(from, to)
}

func (s *system) Remove(path string) error {
	if err := s.fail("remove", path, false); err != nil {
		return err
	}
	return os.Remove(path)
}

// file is an open file of a system that fails.
type file struct {
	*os.File
	system *system
}

func (f *file) Write(p []byte) (int, error) {
	err := f.system.fail("write", f.Name(), true)
	if err == nil {
		return f.File.Write(p)
	}
	if !f.system.half() {
		return 0, err
	}
	n, wrote := f.File.Write(p[:len(p)/2])
	return n, errors.Join(err, wrote)
}

// half reports whether the write that just failed writes its first half, as a single one does.
func (s *system) half() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.halved || len(s.operations) != s.fault.Number || s.fault.Kind == NoSpace || s.fault.Kind == Input {
		return false
	}
	s.halved = true
	return true
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.system.fail("read", f.Name(), false); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.system.fail("read", f.Name(), false); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

func (f *file) Stat() (fs.FileInfo, error) {
	if err := f.system.fail("stat", f.Name(), false); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *file) Chmod(mode fs.FileMode) error {
	if err := f.system.fail("chmod", f.Name(), false); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}

func (f *file) Sync() error {
	if err := f.system.fail("sync", f.Name(), true); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *file) Truncate(size int64) error {
	if err := f.system.fail("truncate", f.Name(), false); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *file) Close() error {
	err := f.system.fail("close", f.Name(), true)
	if errors.Is(err, errCrashed) {
		return err
	}
	return errors.Join(err, f.File.Close()) // a close that fails closes, too
}
