package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Output is a file that a verb will write.
type Output struct {
	Flag, Path string // the flag that names it; without a path, nothing is written
	Kept       bool   // a file that is there is not replaced, since there is no --overwrite
	// Kind is what a file must be to be replaced, for people, and Holds returns an error if a file is something else.
	// Without it, any file is replaced.
	Kind  string
	Holds func(path string) error
}

// Check returns an error, before anything is done, if the file cannot be written, or if that would destroy something.
func (o Output) Check() error {
	if o.Path == "" {
		return nil
	}
	folder := filepath.Dir(o.Path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %w", o.Flag, &folderError{o.Path, folder})
	}
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s %s: %w", o.Flag, o.Path, err)
	case info.IsDir():
		return fmt.Errorf("%s %s: this is a folder; give the name of a file", o.Flag, o.Path)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil
	case o.Kept:
		return fmt.Errorf("%s %s: the file is there; replace it with --overwrite, or name another one", o.Flag, o.Path)
	case o.Holds != nil && o.Holds(o.Path) != nil:
		return fmt.Errorf("%s %s: this file is there and is no %s, so it is not replaced; give another name, or remove it",
			o.Flag, o.Path, o.Kind)
	}
	return nil
}

// folderError reports that the folder of a file is missing.
type folderError struct{ path, folder string }

func (e *folderError) Error() string {
	return fmt.Sprintf("%s: there is no folder %s; make it, or name another file", e.path, e.folder)
}
