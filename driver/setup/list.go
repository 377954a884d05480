package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/files"
)

// State is the state of a component on this machine.
type State string

// The states of a component.
const (
	Installed State = "installed"
	// The installation was interrupted, is going on, or lacks a file. Installing again mends it.
	Partial  State = "partial"
	Absent   State = "absent"      // it can be installed
	Existing State = "existing"    // in an environment that the user maintains
	Unusable State = "not usable"  // in such an environment, but not usable; the note says why
	Other    State = "not current" // installed by a zonemark that needs another version
)

// Status is one line of what is installed.
type Status struct {
	Name    string
	Version string
	State   State
	Folder  string // empty if there is none
	Bytes   int64  // on disk; 0 if there is no folder, or if it is not zonemark's to count
	Note    string // what is wrong or odd
}

// List returns what is on this machine: every component that can be installed, other installed versions of the
// components, and the user's own environments and libraries.
func (cs Components) List(o Options) ([]Status, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, c := range cs {
		folders, err := versionsOf(runtimes, c)
		if err != nil {
			return nil, err
		}
		current := filepath.Join(runtimes, c.Name+"-"+c.Version)
		if !slices.Contains(folders, current) {
			all = append(all, Status{Name: c.Name, Version: c.Version, State: Absent})
		}
		for _, folder := range folders {
			all = append(all, statusOf(c, folder))
		}
		if c.Existing != nil {
			all = append(all, c.Existing(o, folders)...)
		}
	}
	return all, nil
}

// Missing returns the names of the components that this machine lacks: neither zonemark nor the user has installed one
// that can be used.
func (cs Components) Missing(o Options) ([]string, error) {
	all, err := cs.List(o)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(cs.Names(), func(name string) bool {
		return slices.ContainsFunc(all, func(s Status) bool {
			return s.Name == name && (s.State == Installed || s.State == Existing)
		})
	}), nil
}

// existingStatus returns the line of the list for the result of a search for an environment. It returns nothing for an
// environment that zonemark installed, which has a line already.
func existingStatus(s Status, managed bool, err error) []Status {
	var none *NotInstalledError
	switch {
	case errors.As(err, &none) || err == nil && managed:
		return nil
	case err != nil:
		return []Status{{Name: s.Name, Version: "?", State: Unusable, Note: err.Error()}}
	}
	s.State = Existing
	return []Status{s}
}

// statusOf returns the state of one folder of a component.
func statusOf(c Component, folder string) Status {
	s := Status{
		Name:    c.Name,
		Version: strings.TrimPrefix(filepath.Base(folder), c.Name+"-"),
		Folder:  folder,
		Bytes:   files.BytesBelow(folder),
	}
	m, err := readManifest(folder, s.Name, s.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.State = Partial
	case err != nil:
		s.State, s.Note = Partial, err.Error()
	case s.Version != c.Version:
		s.State = Other
	default:
		s.State = Installed
		if s.Note = c.Broken(folder, m); s.Note != "" {
			s.State = Partial
		}
	}
	return s
}

// versionsOf returns the folders of all versions of a component. The name of one component may be the beginning of
// another's name, so it looks for the digit with which a version begins.
func versionsOf(runtimes string, c Component) ([]string, error) {
	entries, err := os.ReadDir(runtimes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the cache: %w; set ZONEMARK_HOME to a folder that can be read and written", err)
	}
	var folders []string
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), c.Name+"-")
		if ok && e.IsDir() && version != "" && version[0] >= '0' && version[0] <= '9' {
			folders = append(folders, filepath.Join(runtimes, e.Name()))
		}
	}
	return folders, nil
}

// Remove removes all versions of a component that zonemark installed, or the one named NAME-VERSION, and returns what
// it removed. It does not touch components that are being installed or environments of the user.
func (cs Components) Remove(o Options, name string) ([]Status, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range cs {
		names = append(names, c.Name)
		folders, err := versionsOf(runtimes, c)
		if err != nil {
			return nil, err
		}
		if name != c.Name {
			folders = slices.DeleteFunc(folders, func(folder string) bool { return filepath.Base(folder) != name })
			if len(folders) == 0 {
				continue
			}
		}
		if len(folders) == 0 {
			return nil, fmt.Errorf("remove %s: zonemark has installed none in %s", name, runtimes)
		}
		var removed []Status
		for _, folder := range folders {
			s := statusOf(c, folder)
			if err := removeComponent(folder); err != nil {
				return removed, fmt.Errorf("remove %s %s: %w", s.Name, s.Version, err)
			}
			removed = append(removed, s)
		}
		return removed, nil
	}
	return nil, fmt.Errorf("remove %s: no such component; there are %s", name, strings.Join(names, " and "))
}

// removeComponent removes a folder, the manifest first, so that the rest is never mistaken for an installed component.
func removeComponent(folder string) error {
	l, err := tryLock(folder)
	if errors.Is(err, files.ErrLocked) {
		return errors.New("another zonemark is installing it: wait for that or stop it")
	}
	if err != nil {
		return err
	}
	return errors.Join(removeManifest(folder), removeAll(folder), l.unlock())
}
