package dispatchmode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"zonemark/executor/iree/executable"
	"zonemark/executor/iree/vmfb"
)

// Callable reports whether the dispatches of a module can be called: it needs libraries for this machine, all with
// interfaces that are known.
func Callable(m *vmfb.Module) bool {
	found := false
	for _, l := range m.Libraries {
		if l.Machine == vmfb.Here {
			if !slices.Contains(executable.Interfaces(), l.ABI) {
				return false
			}
			found = true
		}
	}
	return found
}

// librariesFor returns the positions of the libraries of a module that are for a machine; those of all if none is.
func librariesFor(m *vmfb.Module, machine string) []int {
	var all, fitting []int
	for i, l := range m.Libraries {
		all = append(all, i)
		if l.Machine == machine {
			fitting = append(fitting, i)
		}
	}
	if len(fitting) == 0 {
		return all
	}
	return fitting
}

// library loads a library of the module. The loader needs a file for it, which may be deleted as soon as it is mapped.
func (p *Program) library(i int) (*executable.Library, error) {
	if l := p.libraries[i]; l != nil {
		return l, nil
	}
	if i < 0 || i >= len(p.module.Libraries) {
		return nil, fmt.Errorf("library %d of %d: the plan belongs to another module; record it again",
			i, len(p.module.Libraries))
	}
	path, err := p.unpack(&p.module.Libraries[i])
	if err != nil {
		return nil, fmt.Errorf("library %s: %w", p.module.Libraries[i].Name, err)
	}
	defer os.Remove(path)
	l, err := executable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("library %s: %w", p.module.Libraries[i].Name, err)
	}
	p.libraries[i] = l
	return l, nil
}

// unpack copies a library of the module to a file in the folder for temporary files.
func (p *Program) unpack(l *vmfb.Library) (path string, err error) {
	module, err := os.Open(l.File)
	if err != nil {
		return "", err
	}
	defer module.Close()
	f, err := os.CreateTemp("", "dispatch-*-"+filepath.Base(l.Name))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.NewSectionReader(module, l.Offset, l.Bytes))
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// export finds an export of a library.
func (p *Program) export(library, ordinal int) (*executable.Library, *executable.Export, error) {
	l, err := p.library(library)
	if err != nil {
		return nil, nil, err
	}
	if ordinal < 0 || ordinal >= len(l.Exports) {
		return nil, nil, fmt.Errorf("library %s has %d dispatches, and number %d is asked for: the plan belongs to "+
			"another module; record it again",
			p.module.Libraries[library].Name, len(l.Exports), ordinal)
	}
	return l, &l.Exports[ordinal], nil
}
