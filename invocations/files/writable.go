package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckWritable returns why nothing can be written below a folder, which may be missing: then the nearest folder above
// it that exists counts. It makes a folder there and removes it again.
func CheckWritable(folder string) error {
	at, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s: %s is a file; name another folder", folder, at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return err
		}
		at = filepath.Dir(at)
	}
	made, err := os.MkdirTemp(at, ".writable-")
	if err != nil {
		return fmt.Errorf("%s: nothing can be written there: %w; name another folder", folder, errors.Unwrap(err))
	}
	return os.Remove(made)
}
