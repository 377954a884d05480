package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
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

// System makes the changes to files that results depend on. The system's own one is used unless a test has put another
// in its place with Use.
type System interface {
	OpenFile(path string, flags int, mode fs.FileMode) (File, error)
	CreateTemp(folder, pattern string) (File, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(path string) error
}

// used is the System in use. Tests change it while executors' output is still being read by other goroutines.
var used atomic.Pointer[System]

// Use puts another system in place of the operating system's, for tests: package faults makes one that fails. The
// returned function takes it back.
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

// CreateTemp does what os.CreateTemp does.
func CreateTemp(folder, pattern string) (File, error) { return system().CreateTemp(folder, pattern) }

// Link does what os.Link does.
func Link(from, to string) error { return system().Link(from, to) }

// Remove does what os.Remove does.
func Remove(path string) error { return system().Remove(path) }

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

func (operating) CreateTemp(folder, pattern string) (File, error) {
	return opened(os.CreateTemp(folder, pattern))
}

func (operating) Rename(from, to string) error { return os.Rename(from, to) }

func (operating) Link(from, to string) error { return os.Link(from, to) }

func (operating) Remove(path string) error { return os.Remove(path) }

// opened makes the File nil if the pointer is.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}
