package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckExists returns an error if there is neither a file nor a folder at path. The error names the path and ends with
// what the user should name instead. Other errors, such as a path that may not be read, are left to whoever opens it.
func CheckExists(path, instead string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: there is no such file or folder; name %s", path, instead)
	}
	return nil
}

// CheckFolderOf returns an error if the folder in which a file shall be written is missing.
func CheckFolderOf(path string) error {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no folder %s; make it, or name another file", path, folder)
	}
	return nil
}
