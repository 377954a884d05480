package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"zonemark/driver/filehash"
	"zonemark/invocations/files"
)

// findLibrary returns the path of a component that is one shared library: the file that a variable of the environment
// names, or the one that zonemark installed.
func findLibrary(o Options, c Component, library, variable string) (string, error) {
	if path := o.getenv(variable); path != "" {
		if !files.IsFile(path) {
			return "", fmt.Errorf(
				"$%s: %s: there is no such file; take the variable out of the environment",
				variable,
				path,
			)
		}
		return filepath.Abs(path)
	}
	folder, _, err := c.installed(o, library)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, library), nil
}

// installLibrary installs a component unless find finds it.
func installLibrary(ctx context.Context, o Options, c Component, find func(Options) (string, error)) (string, error) {
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

// foundLibrary returns the function Component.Find of a component that is one shared library. find returns its path,
// and variable is the variable that names it.
func foundLibrary(variable string, find func(Options) (string, error)) func(Options) (Found, error) {
	return func(o Options) (Found, error) {
		path, err := find(o)
		return Found{Place: path, Environment: []string{variable + "=" + path}}, err
	}
}

// namedLibrary returns Component.Existing of a library that the user names by a variable. It does not list the library
// that zonemark has installed, even if the variable names it.
func namedLibrary(name, variable string, find func(Options) (string, error)) func(Options, []string) []Status {
	return func(o Options, folders []string) []Status {
		if o.getenv(variable) == "" {
			return nil
		}
		s := Status{Name: name, Version: "?", State: Existing}
		if absolute, err := find(o); err != nil {
			s.State, s.Note = Unusable, err.Error()
		} else if s.Folder = filepath.Dir(absolute); slices.Contains(folders, s.Folder) {
			return nil
		}
		return []Status{s}
	}
}

// brokenLibrary returns what is wrong with a component that is one shared library; empty if nothing is. The hash of a
// big library is remembered until the file changes.
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
	sum, err := filehash.New(filepath.Join(folder, "checked")).SHA256(path)
	switch {
	case err != nil:
		return err.Error()
	case sum != m.Artifacts[i].SHA256:
		return path + " has been changed since it was installed"
	}
	return ""
}
