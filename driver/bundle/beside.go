package bundle

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations"
)

// Beside checks the files that an artifact names itself, such as the library of a package: they must lie in the folder
// of a file that the invocation names, in the folder of what zonemark has built, or in a folder of the system. Whoever
// wrote the artifact could otherwise have any file of its user taken along. Links are followed. A file that is not
// there is left to whoever reads it.
func Beside(inv *invocations.Invocation, artifact string, named []string, built string) error {
	for _, path := range named {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || OfSystem(real) {
			continue
		}
		if inFolder(built, real) {
			continue
		}
		if !slices.ContainsFunc(Loaded(inv), func(file string) bool { return inFolderOf(file, real) }) {
			return fmt.Errorf("%s names %s, which is outside of its folder: copy the file there, and name the copy",
				artifact, path)
		}
	}
	return nil
}

// inFolderOf reports whether a path without links lies in the folder of a file, or in that of what the file is a link
// to.
func inFolderOf(file, path string) bool {
	folders := []string{filepath.Dir(file)}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	return slices.ContainsFunc(folders, func(folder string) bool { return inFolder(folder, path) })
}

// inFolder reports whether a path without links lies in a folder.
func inFolder(folder, path string) bool {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(real, path)
	return err == nil && filepath.IsLocal(inside)
}

// systemFolders are those that executors may read whatever they measure.
var systemFolders = []string{"/usr/", "/bin/", "/lib/", "/lib64/"}

// OfSystem reports whether an absolute path is of the system.
func OfSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(folder string) bool {
		return strings.HasPrefix(filepath.Clean(path), folder)
	})
}
