package iree

import (
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/iree/libpython"
)

// Brought is what an executor on another machine needs to run modules with the Tracy client.
type Brought struct {
	Paths   []string // files, and folders that are brought as a whole
	Folders []string // folders of which only those files are brought
	Naming  []string // those of the files that name others by absolute paths; see Relocate
}

// CapturedFiles returns what an executor on another machine with the same system needs of the installation to run
// modules with the Tracy client. The fields Python, LibPython and Site name what is brought.
func (in Installation) CapturedFiles() (Brought, error) {
	in.Tracy = true
	if err := (pythonProvider{in}).unusable(defaultDevice); err != nil {
		return Brought{}, err
	}
	python, err := libpython.Files(libpython.Options{Library: in.LibPython, Executable: in.Python})
	if err != nil {
		return Brought{}, fmt.Errorf("the Python of IREE's packages: %w", err)
	}
	b := Brought{Paths: python.Files, Folders: []string{python.Home, in.Site}}
	if python.Configuration != "" {
		b.Naming = []string{python.Configuration}
	}
	packages := []string{filepath.Join("iree", "_runtime_libs_tracy"), "iree_base_runtime.libs"}
	if !strings.HasPrefix(in.Version, withoutNumpy) {
		packages = append(packages, "numpy", "numpy.libs")
	}
	for _, name := range packages {
		found, err := filepath.Glob(filepath.Join(in.Site, name)) // what a release does not have is not needed
		if err != nil {
			return Brought{}, err
		}
		b.Paths = append(b.Paths, found...)
	}
	return b, nil
}

// withoutNumpy is how the versions begin whose bindings are loaded without numpy; see iree_session.py.
const withoutNumpy = "3.13."
