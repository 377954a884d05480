package params

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/files"
)

// ErrExists reports that a version is there. Versions are never overwritten: estimates name the one they came from.
var ErrExists = errors.New("a version that exists is never overwritten")

// VersionFile returns the path of a version: <folder>/<architecture>/params_v<N>.yaml.
func VersionFile(folder, architecture string, version int) string {
	return filepath.Join(folder, architecture, fmt.Sprintf("params_v%d.yaml", version))
}

// Versions returns the newest version of an architecture's files, or 0 if there is none. Versions start at 1 and may
// not skip one.
func Versions(folder, architecture string) (int, error) {
	names, err := os.ReadDir(filepath.Join(folder, architecture))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var versions []int
	for _, entry := range names {
		number, yaml := strings.CutSuffix(entry.Name(), ".yaml")
		number, prefixed := strings.CutPrefix(number, "params_v")
		if version, err := strconv.Atoi(number); yaml && prefixed && err == nil && strconv.Itoa(version) == number {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	for i, v := range versions {
		if v != i+1 {
			return 0, fmt.Errorf("%s: there is a version %d but none %d: versions may not skip",
				filepath.Join(folder, architecture), versions[len(versions)-1], i+1)
		}
	}
	return len(versions), nil
}

// ReadVersion reads a version of an architecture's parameters; version 0 stands for the newest.
func ReadVersion(folder, architecture string, version int) (*File, error) {
	newest, err := Versions(folder, architecture)
	if err != nil {
		return nil, err
	}
	if newest == 0 {
		return nil, fmt.Errorf("%s: no params_v1.yaml", filepath.Join(folder, architecture))
	}
	if version == 0 {
		version = newest
	}
	if version < 1 || version > newest {
		return nil, fmt.Errorf("%s: no version %d: want 1 to %d", filepath.Join(folder, architecture), version, newest)
	}
	f, err := ReadFile(VersionFile(folder, architecture, version))
	if err != nil {
		return nil, err
	}
	f.Architecture, f.Version = architecture, version
	return f, nil
}

// WriteVersion writes the parameters as a new version, which must be the one after the newest.
func (f *File) WriteVersion(folder, architecture string, version int) error {
	newest, err := Versions(folder, architecture)
	if err != nil {
		return err
	}
	path := VersionFile(folder, architecture, version)
	switch {
	case version < 1 || version > newest+1:
		return fmt.Errorf("%s: the next version is %d: versions may not skip", path, newest+1)
	case version <= newest:
		return fmt.Errorf("%s: %w: the next is %d", path, ErrExists, newest+1)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return f.Write(path)
}

// Write writes a file that must not exist yet. The file is there in whole or not at all, even if the process is killed or
// the machine loses power, and it stays when Write has returned: no other file gets its version.
func (f *File) Write(path string) error {
	draft, err := files.CreateUnfinished(path, 0o666)
	if err != nil {
		return err
	}
	defer files.Remove(draft.Name())
	_, err = draft.Write(f.Bytes())
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// A link, unlike a renaming, fails if the name is taken.
	if err := files.Link(draft.Name(), path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, ErrExists)
	} else if err == nil {
		return syncName(path)
	}
	return f.writeInPlace(path) // the file system has no links
}

func (f *File) writeInPlace(path string) error {
	file, err := files.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, ErrExists)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(f.Bytes())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = files.Remove(path) // what matters is the error
		return fmt.Errorf("%s: %w", path, err)
	}
	return syncName(path)
}

func syncName(path string) error {
	if err := files.SyncName(path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
