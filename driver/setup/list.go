package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/files"
)

// State is what a component is on this machine.
type State string

// The states of a component.
const (
	Installed State = "installed"
	Partial   State = "partial"     // an installation was interrupted or is going on, or something is gone: installing again mends it
	Absent    State = "absent"      // it can be installed
	Existing  State = "existing"    // in an environment that the user looks after
	Unusable  State = "not usable"  // in such an environment, and the note says what is wrong
	Other     State = "not current" // installed by another zonemark, which wants another version
)

// Status is one line of what is installed.
type Status struct {
	Name    string
	Version string
	State   State
	Folder  string // where it lies; empty when it is nowhere
	Bytes   int64  // on disk; 0 when it is nowhere, or not ours to count
	Note    string // what is wrong or odd
}

// List says what is on this machine: every component that can be installed, other versions of them, environments of the user's that hold
// IREE or what models are written with, and libraries that the user's variables name.
func List(o Options) ([]Status, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, c := range components() {
		folders, err := versionsOf(runtimes, c)
		if err != nil {
			return nil, err
		}
		current := filepath.Join(runtimes, c.name+"-"+c.version)
		if !slices.Contains(folders, current) {
			all = append(all, Status{Name: c.name, Version: c.version, State: Absent})
		}
		for _, folder := range folders {
			all = append(all, statusOf(c, folder))
		}
		switch c.name {
		case ireeComponent().name:
			all = append(all, o.existingIREE()...)
		case modelsComponent().name:
			all = append(all, o.modelsStatus()...)
		default:
			all = append(all, o.namedStatus(c, folders)...)
		}
	}
	return all, nil
}

// Missing names the components that are not on this machine in a form that can be used, neither installed by zonemark
// nor by the user.
func Missing(o Options) ([]string, error) {
	all, err := List(o)
	if err != nil {
		return nil, err
	}
	names, _ := Names()
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(all, func(s Status) bool {
			return s.Name == name && (s.State == Installed || s.State == Existing)
		})
	}), nil
}

// existingIREE is the environment of the user's that FindIREE would use, if any.
func (o Options) existingIREE() []Status {
	found, err := findIREE(o)
	return existingStatus(Status{Name: ireeComponent().name, Version: found.Version, Folder: found.Site}, found.Managed, err)
}

// modelsStatus is the environment of the user's that FindModels would use, if any.
func (o Options) modelsStatus() []Status {
	found, err := FindModels(o)
	s := Status{Name: modelsComponent().name, Version: found.JAX + "-keras" + found.Keras, Folder: filepath.Dir(filepath.Dir(found.Interpreter))}
	return existingStatus(s, found.Managed, err)
}

// existingStatus is s as the line of an environment that was found or not; nothing for one of zonemark's own, which has its line.
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

// namedStatus is the library that the user names in the environment in the place of a component, if any. The one that zonemark has installed is no other, also when a
// variable names it.
func (o Options) namedStatus(c component, folders []string) []Status {
	if c.variable == "" || o.getenv(c.variable) == "" {
		return nil
	}
	s := Status{Name: c.name, Version: "?", State: Existing}
	if absolute, err := c.find(o); err != nil {
		s.State, s.Note = Unusable, err.Error()
	} else if s.Folder = filepath.Dir(absolute); slices.Contains(folders, s.Folder) {
		return nil
	}
	return []Status{s}
}

// statusOf is the state of one folder of a component.
func statusOf(c component, folder string) Status {
	s := Status{Name: c.name, Version: strings.TrimPrefix(filepath.Base(folder), c.name+"-"), Folder: folder, Bytes: folderBytes(folder)}
	m, err := readManifest(folder, s.Name, s.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.State = Partial
	case err != nil:
		s.State, s.Note = Partial, err.Error()
	case s.Version != c.version:
		s.State = Other
	default:
		s.State = Installed
		if s.Note = c.broken(folder, m); s.Note != "" {
			s.State = Partial
		}
	}
	return s
}

// versionsOf are the folders of all versions of a component. The name of one component may be the beginning of another's: a version begins with a digit.
func versionsOf(runtimes string, c component) ([]string, error) {
	entries, err := os.ReadDir(runtimes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the cache: %w; set ZONEMARK_HOME to a folder that can be read and written", err)
	}
	var folders []string
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), c.name+"-")
		if ok && e.IsDir() && version != "" && version[0] >= '0' && version[0] <= '9' {
			folders = append(folders, filepath.Join(runtimes, e.Name()))
		}
	}
	return folders, nil
}

// Remove removes all versions of a component that zonemark installed, or one that is named NAME-VERSION, and returns what was removed. What is being installed is
// left alone. An environment of the user's is never touched.
func Remove(o Options, name string) ([]Status, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range components() {
		names = append(names, c.name)
		folders, err := versionsOf(runtimes, c)
		if err != nil {
			return nil, err
		}
		if name != c.name {
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

// removeComponent removes a folder, the manifest first, so that what is left passes for installed at no time.
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
