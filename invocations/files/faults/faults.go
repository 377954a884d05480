// Package faults makes operations on files fail, one after the other, for tests of those who write results. It knows
// nothing of what the files hold.
package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"zonemark/invocations/files"
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
	// LosesData is a loss of power, before an operation or after the last one: files have the names and the sizes that
	// they had, but what was written and not synced is zeros.
	LosesData Kind = "power loss, unsynced data is zeros"
	// LosesAll is a loss of power after which nothing is there that was not synced: neither data, nor truncations, nor,
	// without a sync of the folder, names that were made, replaced or removed.
	LosesAll Kind = "power loss, nothing unsynced stays"
)

var kinds = []Kind{NoSpace, Input, Short, Full, Crash, LosesData, LosesAll}

// PowerLoss reports whether the kind is a loss of power.
func (k Kind) PowerLoss() bool { return k == LosesData || k == LosesAll }

// Fault is an operation that failed.
type Fault struct {
	Kind   Kind
	Number int    // of the operation, from 1; 0: none failed
	What   string // the operation with the name of its file; empty if the run has not come to it
}

// Ends reports whether the process ended with the fault. Nobody saw what it returned then, unless the fault came after
// the last operation.
func (f Fault) Ends() bool { return f.Kind == Crash || f.Kind.PowerLoss() }

// afterLast is What of a loss of power after the last operation.
const afterLast = "after the last one"

func (f Fault) String() string {
	return fmt.Sprintf("%s at operation %d (%s)", f.Kind, f.Number, f.What)
}

// Each calls do in an empty folder once without a fault, which must succeed, and then once for each operation on a file
// of that folder and each kind of fault, each time in another folder. It then calls check, with what do returned, when
// files work again. Before do, it calls prepare without faults, unless that is nil; what that makes is on the disk. It
// fails if do makes fewer operations than least. Tests that use it cannot be parallel.
//
// Power is lost before operations that bring something to the disk or change names or sizes, and after the last one:
// in between, there is only more that can be lost. Folders that do makes stay.
func Each(t *testing.T, least int, prepare, do func(folder string) error,
	check func(folder string, f Fault, err error)) {
	t.Helper()
	above, err := filepath.EvalSymlinks(t.TempDir()) // as package files does
	if err != nil {
		t.Fatal(err)
	}
	try := func(f Fault) *system {
		folder, err := os.MkdirTemp(above, "")
		if err == nil && prepare != nil {
			err = prepare(folder)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := &system{folder: folder, fault: f, disk: newDisk(folder)}
		restore := files.Use(s)
		err = do(folder)
		ended := s.end()
		restore()
		if ended != nil {
			t.Fatal(ended)
		}
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
		if kind.PowerLoss() {
			try(Fault{Kind: kind, Number: len(operations) + 1})
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
	case LosesData, LosesAll:
		return slices.Contains([]string{"sync", "sync folder", "rename", "link", "remove", "truncate"}, o.what)
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
	disk       *disk
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
	case Crash, LosesData, LosesAll:
		if s.crashed = now; now {
			return errCrashed
		}
	}
	return nil
}

// end closes what do has left open, as the end of a process does. Then power may be lost.
func (s *system) end() error {
	for _, f := range s.open {
		_ = f.Close() // most are closed
	}
	if s.fault.Kind.PowerLoss() && !s.crashed {
		s.fault.What = afterLast
	}
	return s.disk.lose(s.fault.Kind)
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
	if flags&(os.O_WRONLY|os.O_RDWR) == 0 {
		return s.opened(os.OpenFile(path, flags, mode))
	}
	if err := s.disk.know(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flags, mode)
	if err == nil {
		s.disk.opened(path)
	}
	return s.opened(f, err)
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func (s *system) Rename(from, to string) error {
	if err := s.fail("rename", from, true); err != nil {
		return err
	}
	if err := s.disk.know(from, to); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if err == nil {
		s.disk.linked(from, to)
		s.disk.removed(from)
	}
	return err
}

func (s *system) Link(from, to string) error {
	if err := s.fail("link", to, true); err != nil {
		return err
	}
	if err := s.disk.know(from, to); err != nil {
		return err
	}
	err := os.Link(from, to)
	if err == nil {
		s.disk.linked(from, to)
	}
	return err
}

func (s *system) Remove(path string) error {
	if err := s.fail("remove", path, false); err != nil {
		return err
	}
	if err := s.disk.know(path); err != nil {
		return err
	}
	err := os.Remove(path)
	if err == nil {
		s.disk.removed(path)
	}
	return err
}

// SyncFolder brings the names in a folder to the modelled disk. The real one does not matter, and would take time.
func (s *system) SyncFolder(folder string) error {
	if err := s.fail("sync folder", folder, false); err != nil {
		return err
	}
	s.disk.syncFolder(folder)
	return nil
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
	return f.system.disk.sync(f.Name()) // see SyncFolder
}

func (f *file) Truncate(size int64) error {
	if err := f.system.fail("truncate", f.Name(), false); err != nil {
		return err
	}
	err := f.File.Truncate(size)
	if err == nil {
		f.system.disk.truncated(f.Name(), size)
	}
	return err
}

func (f *file) Close() error {
	err := f.system.fail("close", f.Name(), true)
	if errors.Is(err, errCrashed) {
		return err
	}
	return errors.Join(err, f.File.Close()) // a close that fails closes, too
}
