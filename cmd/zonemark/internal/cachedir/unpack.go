package cachedir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Unpack writes files that zonemark ships into a new folder below the folder name of the cache, and returns it. It is
// named after the hash of their contents, so that another version of zonemark gets another one. It appears in one step,
// so that an existing one is complete and is used as it is.
func (c Cache) Unpack(name string, shipped fs.FS) (folder string, err error) {
	below, err := c.Folder(name)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	err = fs.WalkDir(shipped, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(shipped, path)
		fmt.Fprintf(hash, "%d:%s%d:", len(path), path, len(text))
		hash.Write(text)
		return err
	})
	folder = filepath.Join(below, hex.EncodeToString(hash.Sum(nil)[:16]))
	if err == nil {
		err = place(folder, shipped)
	}
	if err != nil {
		return "", fmt.Errorf("unpack what zonemark ships: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	return folder, nil
}

// place writes files into a folder that appears in one step, unless it is there.
func place(folder string, shipped fs.FS) error {
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), "partial-*")
	if err != nil {
		return err
	}
	out := filepath.Join(partial, "files")
	if err = os.CopyFS(out, shipped); err == nil {
		err = os.Rename(out, folder)
	}
	if _, there := os.Stat(folder); there == nil {
		err = nil // this process made it, or another one did first
	}
	return errors.Join(err, os.RemoveAll(partial))
}
