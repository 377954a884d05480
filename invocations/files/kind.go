package files

import (
	"fmt"
	"io"
	"os"
)

// IsFile reports whether a path is a file, or a link to one.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether a path is a folder, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// CopyTo writes the contents of a regular file to w, such as a hash. It refuses what has no end, or waits for a writer.
func CopyTo(w io.Writer, path string) error {
	info, err := os.Stat(path) // opening a pipe would wait, too
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
