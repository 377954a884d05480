package hat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"zonemark/executor"
	"zonemark/executor/cfunction"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
)

// Load opens the library of the package that artifact.Path names, or artifact.Built if it had to be linked first. It
// returns an *executor.UnsupportedError if the package cannot run on this machine.
func (Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	pkg, err := ReadPackage(artifact.Path)
	if err != nil {
		return nil, err
	}
	l, err := pkg.library(artifact.Built)
	if err != nil {
		return nil, err
	}
	return cfunction.Open(l)
}

// library returns the library of the package, or what was built of it, with the prototypes of its functions.
func (p *Package) library(built string) (*cfunction.Library, error) {
	here := machine{system: runtime.GOOS, architecture: runtime.GOARCH, flags: cpuFlags()}
	_, skip, _ := p.libraryFor(here)
	if skip != "" {
		if len(p.Functions) > 0 { // a function may have a better reason: it needs a GPU
			skip = p.skipReason(p.Functions[0], skip)
		}
		return nil, &executor.UnsupportedError{Reason: skip}
	}
	path := built
	switch {
	case path == "" && toolchain.IsStatic(p.Library()):
		return nil, fmt.Errorf("%s: %s is static code and must be linked before it is loaded; build the artifact first",
			p.Path, p.Depends.LinkTarget)
	case path == "":
		path = p.Library()
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, p.missingLibrary()
	}
	l := &cfunction.Library{Of: p.Path, File: cfunction.File{Path: path, Name: p.Depends.LinkTarget,
		Remedy: "install what it needs, or name it in dependencies.dynamic"}}
	for _, d := range p.Depends.Dynamic {
		if d.TargetFile != "" {
			l.Dependencies = append(l.Dependencies, cfunction.File{Path: p.resolve(d.TargetFile), Name: d.TargetFile,
				Remedy: "build it for this machine or correct dependencies.dynamic"})
		}
	}
	for _, f := range p.Functions {
		l.Functions = append(l.Functions, p.function(f))
	}
	return l, nil
}

// function returns the prototype of a function, or why it cannot be called.
func (p *Package) function(f *Function) cfunction.Function {
	out := cfunction.Function{Symbol: f.Symbol, SetUp: f.initializer()}
	out.Prototype, out.Err = p.prototypeOf(f)
	if reason := p.skipReason(f, ""); reason != "" {
		out.Err = &executor.UnsupportedError{Reason: reason}
	}
	return out
}

// missingLibrary returns the error for a link target that does not exist.
func (p *Package) missingLibrary() error {
	return fmt.Errorf("%s: the library %s is missing beside the package; build it or correct dependencies.link_target",
		p.Path, p.Depends.LinkTarget)
}
