package remote

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	unusedFor  = 30 * 24 * time.Hour // after so long a file that no session has used is removed
	partsFor   = 24 * time.Hour      // after so long a part of a file is of a session that has ended
	noteAfter  = 24 * time.Hour      // the time of the last use is that exact
	pruneAfter = 24 * time.Hour      // between two looks at all files
)

// used notes that a file is in use, by the time of its last change.
func used(path string) error {
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) < noteAfter {
		return err
	}
	return os.Chtimes(path, time.Time{}, time.Now())
}

// Prune removes what no session has used for a month: files below the folder files, and binaries of zonemark below bin.
// program is the binary that runs, which is in use; it may be elsewhere. Sessions may go on meanwhile: what they have
// placed stays, and they ask again for what they were about to place. Prune looks once a day; the folder says when.
func Prune(folder, program string) error {
	looked := filepath.Join(folder, "pruned")
	if info, err := os.Stat(looked); err == nil && time.Since(info.ModTime()) < pruneAfter {
		return nil
	}
	if err := os.WriteFile(looked, nil, 0o644); err != nil {
		return err
	}
	now := time.Now()
	if err := errors.Join(os.Chtimes(looked, now, now), usedBelow(folder, program)); err != nil {
		return err
	}
	return errors.Join(pruneBelow(filepath.Join(folder, "files"), now), pruneBelow(filepath.Join(folder, "bin"), now))
}

// usedBelow notes that a file is in use if it is below a folder.
func usedBelow(folder, path string) error {
	if within, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(within) {
		return nil
	}
	return used(path)
}

// pruneBelow removes old files from the folders in a folder.
func pruneBelow(folder string, now time.Time) error {
	shelves, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, shelf := range shelves {
		path := filepath.Join(folder, shelf.Name())
		entries, read := os.ReadDir(path)
		if read != nil {
			err = errors.Join(err, read)
			continue
		}
		for _, e := range entries {
			info, gone := e.Info()
			if gone != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < stays(e.Name()) {
				continue
			}
			if removed := os.Remove(filepath.Join(path, e.Name())); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
				err = errors.Join(err, removed)
			}
		}
	}
	return err
}

// stays returns how long a file stays that no session uses.
func stays(name string) time.Duration {
	if strings.HasPrefix(name, "part-") {
		return partsFor
	}
	return unusedFor
}
