package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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
// there keeps its permissions; a new one gets mode without the bits of the umask. A symbolic link is followed. Other
// hard links of the file keep the old contents. If write fails, path stays as it is and the error is returned. Until
// SyncName has returned, a loss of power may bring the old contents back.
//
// A path that is not a regular file, such as /dev/null or a named pipe, is written to, since it must not be replaced.
//
// A process that is killed leaves a file beside path that matches TemporaryPattern; see RemoveUnfinished.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	kept := fs.FileMode(0) // of the file that is there
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return writeTo(path, write)
		}
		kept = info.Mode().Perm()
		mode = 0o600
	}
	f, err := CreateUnfinished(path, mode)
	if errors.Is(err, fs.ErrNotExist) { // it would name the temporary file
		return fmt.Errorf("%s: there is no folder %s; make it, or name another file", path, filepath.Dir(path))
	}
	if err != nil {
		return named(err, path)
	}
	if err = finish(f, kept, write(f)); err == nil {
		err = system().Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(named(err, path), Remove(f.Name()))
	}
	return nil
}

// CreateUnfinished makes an empty file beside path, which matches TemporaryPattern, with mode except for the bits of the
// umask.
func CreateUnfinished(path string, mode fs.FileMode) (File, error) {
	const attempts = 10_000 // as many as os.CreateTemp makes
	for n := 0; ; n++ {
		name := strings.TrimSuffix(TemporaryPattern(path), "*") + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if n == attempts || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// named returns an error of the system with the name of the file that was to be written, instead of that of the
// unfinished file, and with a remedy if the disk is full. Other errors stay as they are.
func named(err error, path string) error {
	at, link := new(fs.PathError), new(os.LinkError)
	switch {
	case errors.As(err, &at) && isUnfinished(at.Path, path):
		err = fmt.Errorf("%s: %s: %w", path, at.Op, at.Err)
	case errors.As(err, &link) && isUnfinished(link.Old, path):
		err = fmt.Errorf("%s: %s: %w", path, link.Op, link.Err)
	default:
		return err
	}
	if IsFull(err) {
		return fmt.Errorf("%w; make room on the disk, and do it again", err)
	}
	return err
}

// isUnfinished reports whether a name is that of an unfinished file beside path.
func isUnfinished(name, path string) bool {
	is, _ := filepath.Match(TemporaryPattern(path), filepath.Base(name))
	return is && filepath.Dir(name) == filepath.Dir(path)
}

// IsFull reports whether a write failed because the disk, the quota or the file size limit is exhausted.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, io.ErrShortWrite)
}

// writeTo writes to a device or a pipe.
func writeTo(path string, write func(io.Writer) error) error {
	f, err := OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Place moves a finished file, which another program wrote beside path, to path with the guarantees of Replace. The
// file gets mode. If that fails, the finished file stays where it is.
func Place(finished, path string, mode fs.FileMode) error {
	f, err := OpenFile(finished, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := finish(f, mode, nil); err != nil {
		return named(err, path)
	}
	return named(system().Rename(finished, path), path)
}

// TemporaryPattern returns the pattern, as of os.CreateTemp and filepath.Match, of the names of the unfinished files
// beside path.
func TemporaryPattern(path string) string { return "." + filepath.Base(path) + "-*" }

// RemoveUnfinished removes the unfinished files that killed processes have left beside path. The caller holds a lock that
// all hold who replace the file.
func RemoveUnfinished(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if left, _ := filepath.Match(TemporaryPattern(path), e.Name()); !left {
			continue
		}
		if err := Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// finish closes a temporary file that is to be renamed, with a mode unless that is 0. Its contents must be on the disk
// before the rename. It returns failed, the error of writing the file, together with its own.
func finish(f File, mode fs.FileMode, failed error) error {
	err := failed
	if err == nil && mode != 0 {
		if err = f.Chmod(mode); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil && closing != nil {
		err = closing
	}
	return err
}
