package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write does what Replace does, with contents that are complete already.
func Write(path string, mode fs.FileMode, contents ...[]byte) error {
	return Replace(path, mode, func(w io.Writer) error {
		for _, c := range contents {
			if _, err := w.Write(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replace makes a file, or replaces it. Whoever opens path at any time finds either the complete old contents or the
// complete new contents that write wrote, even if this process is killed or the machine loses power. A file that is
// there keeps its permissions; a new one gets mode, whatever the umask. A symbolic link is followed. Other hard links
// of the file keep the old contents. If write fails, path stays as it is and the error is returned.
//
// A path that is not a regular file, such as /dev/null or a named pipe, is written to, since it must not be replaced.
//
// A process that is killed leaves a file beside path that matches TemporaryPattern.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return writeTo(path, write)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), TemporaryPattern(path))
	if errors.Is(err, fs.ErrNotExist) { // it would name the temporary file
		return fmt.Errorf("%s: there is no folder %s; make it, or name another file", path, filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	if err = finish(f, mode, write(f)); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// writeTo writes to a device or a pipe.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Place moves a finished file, which another program wrote beside path, to path with the guarantees of Replace. The
// file gets mode. If that fails, the finished file stays where it is.
func Place(finished, path string, mode fs.FileMode) error {
	f, err := os.OpenFile(finished, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := finish(f, mode, nil); err != nil {
		return err
	}
	return os.Rename(finished, path)
}

// TemporaryPattern returns the pattern, as of os.CreateTemp and filepath.Match, of the names of the unfinished files
// beside path.
func TemporaryPattern(path string) string { return "." + filepath.Base(path) + "-*" }

// finish closes a temporary file that is to be renamed. Its contents must be on the disk before the rename. It returns
// failed, the error of writing the file, together with its own.
func finish(f *os.File, mode fs.FileMode, failed error) error {
	err := failed
	if err == nil {
		if err = f.Chmod(mode); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil && closing != nil {
		err = fmt.Errorf("close: %w", closing)
	}
	return err
}
