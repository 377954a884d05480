package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// findLibrary is the path of a component that is one shared library: the file that a variable of the environment names, or the one that zonemark installed.
func findLibrary(o Options, c component, library, variable string) (string, error) {
	if path := o.getenv(variable); path != "" {
		if !isFile(path) {
			return "", fmt.Errorf("$%s: %s: there is no such file; take the variable out of the environment", variable, path)
		}
		return filepath.Abs(path)
	}
	folder, err := o.folder(c)
	if err != nil {
		return "", err
	}
	m, err := readManifest(folder, c.name, c.version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &NotInstalledError{c.name, fmt.Sprintf("there is no %s in %s", library, folder)}
	case err != nil:
		return "", err
	}
	if reason := c.broken(folder, m); reason != "" {
		return "", &NotInstalledError{c.name, reason}
	}
	return filepath.Join(folder, library), nil
}

// installLibrary installs a component unless find finds it.
func installLibrary(ctx context.Context, o Options, c component, find func(Options) (string, error)) (string, error) {
	path, err := find(o)
	var none *NotInstalledError
	if !errors.As(err, &none) {
		return path, err
	}
	if _, err := ensure(ctx, o, c); err != nil {
		return "", err
	}
	return find(o)
}

// brokenLibrary says what is wrong with a component that is one shared library; empty when nothing is.
func brokenLibrary(folder, library string, m Manifest) string {
	path := filepath.Join(folder, library)
	i := slices.IndexFunc(m.Artifacts, func(a Artifact) bool { return a.Name == library })
	info, err := os.Stat(path)
	switch {
	case i < 0:
		return "its manifest does not name " + library
	case err != nil:
		return path + " is gone"
	case info.Size() != m.Artifacts[i].Bytes:
		return fmt.Sprintf("%s has %d bytes, and had %d when it was installed", path, info.Size(), m.Artifacts[i].Bytes)
	}
	return ""
}
