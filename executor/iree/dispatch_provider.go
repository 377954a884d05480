package iree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/executable"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/tracy"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// dispatchProvider runs single dispatches of the executable libraries inside a module, without a runtime.
type dispatchProvider struct{ installation Installation }

func newDispatchProvider(in Installation) provider { return &dispatchProvider{in} }

func (p *dispatchProvider) name() string { return ProviderDispatch }

// missing returns nil if the system's loader can load the libraries of modules, which are ELF files. Nothing else is
// needed.
func (p *dispatchProvider) missing() error {
	if runtime.GOOS == "darwin" {
		return fmt.Errorf("the dispatch libraries inside modules are ELF files, which the loader of %s does not "+
			"take; run whole modules instead", runtime.GOOS)
	}
	return nil
}

// lacks refuses devices other than the CPU, for which modules hold no libraries.
func (p *dispatchProvider) lacks(driver string) error {
	if onCPU(driver) {
		return nil
	}
	return fmt.Errorf("single dispatches run on the CPU, not on device %s", driver)
}

// open reads the module and its plan. A library is loaded when one of its dispatches is bound.
func (p *dispatchProvider) open(artifact invocations.Artifact) (session, error) {
	s := &dispatchSession{plan: &dispatchplan.Plan{}, libraries: map[int]*executable.Library{}}
	var err error
	if s.file, err = moduleFile(artifact); err != nil {
		return nil, err
	}
	if strings.HasSuffix(artifact.Built, planExtension) {
		hash, err := fileHash(s.file)
		if err != nil {
			return nil, err
		}
		if s.plan, err = matchingPlan(artifact.Built, hash); err != nil {
			return nil, err
		}
	}
	s.module, err = vmfb.Read(s.file)
	return s, err
}

// dispatchSession is a module whose libraries are loaded one by one.
type dispatchSession struct {
	file      string
	module    *vmfb.Module
	plan      *dispatchplan.Plan
	libraries map[int]*executable.Library
}

func (s *dispatchSession) bind(function string, _ []tensor.Tensor) (bound, error) {
	return nil, fmt.Errorf("function %s as a whole needs a runtime; here its dispatches alone are called", function)
}

func (s *dispatchSession) tracyClient() *tracy.Client { return nil }

func (s *dispatchSession) close() error {
	var errs []error
	for _, l := range s.libraries {
		errs = append(errs, l.Close())
	}
	s.libraries = nil
	return errors.Join(errs...)
}

// library loads a library of the module. The loader needs a file for it, which may be deleted as soon as it is mapped.
func (s *dispatchSession) library(i int) (*executable.Library, error) {
	if l := s.libraries[i]; l != nil {
		return l, nil
	}
	if i < 0 || i >= len(s.module.Libraries) {
		return nil, fmt.Errorf("library %d of %d: the plan belongs to another module; record it again",
			i, len(s.module.Libraries))
	}
	path, err := s.unpack(&s.module.Libraries[i])
	if err != nil {
		return nil, fmt.Errorf("library %s: %w", s.module.Libraries[i].Name, err)
	}
	defer os.Remove(path)
	l, err := executable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("library %s: %w", s.module.Libraries[i].Name, err)
	}
	s.libraries[i] = l
	return l, nil
}

// unpack copies a library of the module to a file in the folder for temporary files.
func (s *dispatchSession) unpack(l *vmfb.Library) (path string, err error) {
	module, err := os.Open(s.file)
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
func (s *dispatchSession) export(library, ordinal int) (*executable.Library, *executable.Export, error) {
	l, err := s.library(library)
	if err != nil {
		return nil, nil, err
	}
	if ordinal < 0 || ordinal >= len(l.Exports) {
		return nil, nil, fmt.Errorf("library %s has %d dispatches, and number %d is asked for: the plan belongs to "+
			"another module; record it again",
			s.module.Libraries[library].Name, len(l.Exports), ordinal)
	}
	return l, &l.Exports[ordinal], nil
}

// variant finds a dispatch by the name that Describe gives it.
func (s *dispatchSession) variant(name string) (*dispatchVariant, error) {
	var names []string
	for _, v := range dispatchVariants(s.module, s.plan) {
		if v.name == name {
			return &v, nil
		}
		names = append(names, v.name)
	}
	if near := spelling.Suggest(name, names); near != "" {
		return nil, fmt.Errorf("the module has no dispatch %q%s", name, near)
	}
	return nil, fmt.Errorf("the module has no dispatch %q; it has %s", name, strings.Join(names, ", "))
}
