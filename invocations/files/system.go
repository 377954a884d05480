package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// File is an open file: what *os.File offers and those need who write results.
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Sync() error
	Truncate(size int64) error
	Fd() uintptr
}

// System opens files, and makes the changes that results depend on. The system's own one is used unless another has been
// put in its place with Use.
type System interface {
	OpenFile(path string, flags int, mode fs.FileMode) (File, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(path string) error
	SyncFolder(folder string) error
}

// used is the System in use. Tests change it while executors' output is still being read by other goroutines.
var used atomic.Pointer[System]

// Use puts another system in place of the operating system's. Until makes one for the program; for tests, package faults
// makes one that fails. The returned function takes it back.
func Use(s System) (restore func()) {
	before := used.Swap(&s)
	return func() { used.Store(before) }
}

func system() System {
	if s := used.Load(); s != nil {
		return *s
	}
	return operating{}
}

// OpenFile does what os.OpenFile does.
func OpenFile(path string, flags int, mode fs.FileMode) (File, error) {
	return system().OpenFile(path, flags, mode)
}

// Open opens a file for reading, as os.Open does.
func Open(path string) (File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// Link does what os.Link does.
func Link(from, to string) error { return system().Link(from, to) }

// Remove does what os.Remove does.
func Remove(path string) error { return system().Remove(path) }

// SyncName waits until the name of a file is on the disk: the loss of power may otherwise take a name that was made, or
// bring back the old file of a name that was replaced, although the data of the file was synced. The names of the other
// files of the folder are brought to the disk, too. A symbolic link is followed. SyncName does nothing where folders
// cannot be synced, as on Windows and on some network file systems, and for a file that has no name any more.
func SyncName(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // such as what /dev/stdout leads to
		return nil
	}
	if err != nil {
		return err
	}
	return system().SyncFolder(filepath.Dir(target))
}

// Read reads a whole file, as os.ReadFile does.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// operating is the operating system.
type operating struct{}

func (operating) OpenFile(path string, flags int, mode fs.FileMode) (File, error) {
	return opened(os.OpenFile(path, flags, mode))
}

func (operating) Rename(from, to string) error { return os.Rename(from, to) }

func (operating) Link(from, to string) error { return os.Link(from, to) }

func (operating) Remove(path string) error { return os.Remove(path) }

func (operating) SyncFolder(folder string) error {
	if runtime.GOOS == "windows" { // which syncs only what is open for writing
		return nil
	}
	f, err := os.Open(folder)
	if errors.Is(err, fs.ErrPermission) { // one may make files in a folder that one may not list
		return nil
	}
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) { // the file system cannot do it
		err = nil
	}
	return errors.Join(err, f.Close())
}

// opened makes the File nil if the pointer is.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}
