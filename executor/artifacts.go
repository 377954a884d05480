package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// HasArtifact reports whether the name of path matches, or, if it is a folder, that of a file in it.
func HasArtifact(path string, match func(name string) bool) bool {
	if match(path) {
		return true
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && match(e.Name()) })
}

// ArtifactsAt lists the files that path stands for, as absolute paths: path itself, or, if it is a folder, the files in
// it whose names match, in the order of their names. Errors use what ("IREE module") as the name of such files, and
// remedy as what a user should name instead.
func ArtifactsAt(path, what, remedy string, match func(name string) bool) ([]string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, nil // reading it returns a better error
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("%ss: %w; check the permissions of the folder", what, err)
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && match(e.Name()) {
			paths = append(paths, filepath.Join(path, e.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no %s; %s", path, what, remedy)
	}
	return paths, nil
}
