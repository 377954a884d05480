package setup

import (
	"fmt"
	"path/filepath"
	"slices"

	"zonemark/driver/filehash"
	"zonemark/invocations/files"
)

// library is a component that is one file.
type library struct {
	row      Component     // of the table of components; its function Install is set
	file     string        // path of the file in the component's folder
	variable string        // names a file of the user's
	onPATH   func() string // finds one of the user's; may be nil
}

// component returns the row of the table of components.
func (l library) component() Component {
	c := l.row
	c.Find, c.Existing, c.Broken = foundBy(l.variable, l.find), l.existing, l.broken
	return c
}

// find returns the path of the file: that which the variable names, one on PATH, or the one that zonemark installed. It
// installs nothing: the error is a *NotInstalledError if there is none.
func (l library) find(o Options) (string, error) {
	if path, err := o.named(l.variable); path != "" || err != nil {
		return path, err
	}
	if l.onPATH != nil {
		if path := l.onPATH(); path != "" {
			return filepath.Abs(path)
		}
	}
	folder, _, err := l.component().installed(o, filepath.Base(l.file))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, l.file), nil
}

// existing returns the line of the list for a file that the variable names. It does not list the one that zonemark has
// installed, even if the variable names it.
func (l library) existing(o Options, folders []string) []Status {
	path, err := o.named(l.variable)
	switch {
	case err != nil:
		return []Status{{Name: l.row.Name, Version: "?", State: Unusable, Note: err.Error()}}
	case path == "" || slices.Contains(folders, filepath.Dir(path)):
		return nil
	}
	return []Status{{Name: l.row.Name, Version: "?", State: Existing, Folder: filepath.Dir(path)}}
}

// broken returns what is wrong with an installed file; empty if nothing is. That it was checked is remembered until it
// changes.
func (l library) broken(folder string, m Manifest) string {
	i := slices.IndexFunc(m.Artifacts, func(a Artifact) bool { return a.Name == l.file })
	if i < 0 {
		return "its manifest does not name " + l.file
	}
	a := m.Artifacts[i]
	return filehash.Check(filepath.Join(folder, "checked.sha256"),
		[]filehash.File{{Path: filepath.Join(folder, l.file), SHA256: a.SHA256, Bytes: a.Bytes}})
}

// foundBy returns the function Component.Find of a component of which a variable tells the place that find returns.
func foundBy(variable string, find func(Options) (string, error)) func(Options) (Found, error) {
	return func(o Options) (Found, error) {
		path, err := find(o)
		return Found{Place: path, Environment: []string{variable + "=" + path}}, err
	}
}

// named returns the absolute path of the file that a variable of the environment names; empty if it names none.
func (o Options) named(variable string) (string, error) {
	path := o.getenv(variable)
	switch {
	case path == "":
		return "", nil
	case !files.IsFile(path):
		return "", fmt.Errorf("$%s: %s: there is no such file; take the variable out of the environment", variable, path)
	}
	return filepath.Abs(path)
}
