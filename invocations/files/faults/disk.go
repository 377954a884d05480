package faults

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// disk is a model of what a loss of power leaves of the files of a folder. It loses what file systems may lose. Most of
// them lose less: ext4 brings a new name to the disk together with the data of its file, for example.
type disk struct {
	folder string

	mu     sync.Mutex
	now    map[string]*contents // by names that were changed or opened for writing; nil: there is no such file
	synced map[string]*contents // what the same names stand for on the disk
}

// contents are those of a file, whatever its names.
type contents struct {
	synced []byte // what is on the disk
	uncut  int64  // so many bytes of that were not truncated since
}

func newDisk(folder string) *disk {
	return &disk{folder: folder, now: map[string]*contents{}, synced: map[string]*contents{}}
}

// know takes note of what is on the disk, before it is changed for the first time.
func (d *disk) know(paths ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, path := range paths {
		if _, known := d.now[path]; known || !strings.HasPrefix(path, d.folder) {
			continue
		}
		data, err := os.ReadFile(path)
		switch {
		case err == nil:
			d.now[path] = &contents{data, int64(len(data))}
		case errors.Is(err, fs.ErrNotExist):
			d.now[path] = nil
		default:
			return err
		}
		d.synced[path] = d.now[path]
	}
	return nil
}

// opened takes note of a file that was opened for writing. It is new unless know has found it.
func (d *disk) opened(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[path] == nil && strings.HasPrefix(path, d.folder) {
		d.now[path] = &contents{}
	}
}

// linked takes note that to stands for what from stands for.
func (d *disk) linked(from, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now[to] = d.now[from]
}

// removed takes note that a name is gone.
func (d *disk) removed(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now[path] = nil
}

// truncated takes note of the size of a file.
func (d *disk) truncated(path string, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.now[path]; c != nil {
		c.uncut = min(c.uncut, size)
	}
}

// sync brings the data of a file to the disk. It does nothing if the file has no longer the name that it was opened by.
func (d *disk) sync(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.now[path]
	if c == nil {
		return nil
	}
	data, err := os.ReadFile(path)
	c.synced, c.uncut = data, int64(len(data))
	return err
}

// syncFolder brings the names in a folder to the disk.
func (d *disk) syncFolder(folder string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, c := range d.now {
		if filepath.Dir(path) == filepath.Clean(folder) {
			d.synced[path] = c
		}
	}
}

// lose makes the files what a loss of power leaves of them. Other kinds of faults change nothing.
func (d *disk) lose(kind Kind) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, now := range d.now {
		var err error
		switch synced := d.synced[path]; {
		case kind == LosesData && now != nil:
			err = now.loseData(path)
		case kind == LosesAll && synced != nil:
			err = os.WriteFile(path, synced.synced, 0o666)
		case kind == LosesAll && now != nil:
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loseData replaces the data of a file that is not on the disk by zeros.
func (c *contents) loseData(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	left := make([]byte, len(data))
	copy(left, c.synced[:c.uncut])
	if bytes.Equal(left, data) {
		return nil
	}
	return os.WriteFile(path, left, 0o666)
}
