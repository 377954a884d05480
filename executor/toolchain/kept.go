package toolchain

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zonemark/invocations/files"
)

// Keep has a file made for a folder of results, which is made as well, unless the file is there as it was made. Its name
// tells all that it is made of; see Renew.
func Keep(path string, mode fs.FileMode, make func(scratch string) (made string, err error)) error {
	if files.Intact(path) {
		return nil
	}
	return Renew(path, mode, make)
}

// Renew has a file made for a folder of results, which is made as well. make makes it in a folder of its own and returns
// where it is. It appears at its path at once and complete, so that several may make it side by side.
func Renew(path string, mode fs.FileMode, make func(scratch string) (made string, err error)) error {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	var scratch string
	if err == nil {
		scratch, err = os.MkdirTemp(folder, ".making-")
	}
	if err != nil {
		return fmt.Errorf("cache for what is built: %w; choose another cache folder", err)
	}
	defer os.RemoveAll(scratch)
	made, err := make(scratch)
	if err != nil {
		return err
	}
	if err := files.PlaceSealed(made, path, mode); err != nil {
		return fmt.Errorf("cache for what is built: %w", err)
	}
	return nil
}
