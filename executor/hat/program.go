package hat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/dl"
	"zonemark/executor/hat/exports"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// program is a loaded package.
type program struct {
	pkg          *Package
	library      dl.Library
	exported     exports.Library // read from the header of the loaded file
	dependencies []dl.Library    // opened before the library, so that the loader finds them by name
	initialized  bool
	inits        []initFunction  // called after the set-up functions of the package
	setupError   error           // why the set-up functions could not be called; then no function runs
	kept         []*argumentSets // arguments of set-up functions, which may keep pointers to them
}

// Load opens the library of the package that artifact.Path names, or artifact.Built if it had to be linked first. It
// returns an *executor.UnsupportedError if the package cannot run on this machine.
func (Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	pkg, err := ReadPackage(artifact.Path)
	if err != nil {
		return nil, err
	}
	return loaded(pkg.load(artifact.Built))
}

// loaded returns a program as the interface wants it: nil with an error.
func loaded(p *program, err error) (executor.Program, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// load opens the library of the package, or what was built of it.
func (pkg *Package) load(path string) (*program, error) {
	here := machine{system: runtime.GOOS, architecture: runtime.GOARCH, flags: cpuFlags()}
	_, skip, _ := pkg.libraryFor(here)
	if skip != "" {
		if len(pkg.Functions) > 0 { // a function may have a better reason: it needs a GPU
			skip = pkg.skipReason(pkg.Functions[0], skip)
		}
		return nil, &executor.UnsupportedError{Reason: skip}
	}
	switch {
	case path == "" && static(pkg.Library()):
		return nil, fmt.Errorf("%s: %s is static code and must be linked before it is loaded; build the artifact first",
			pkg.Path, pkg.Depends.LinkTarget)
	case path == "":
		path = pkg.Library()
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	p := &program{pkg: pkg}
	if p.exported, err = exports.InspectFile(path); errors.Is(err, os.ErrNotExist) {
		return nil, p.pkg.missingLibrary()
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", pkg.Path, err)
	}
	if err := p.open(path); err != nil {
		p.closeDependencies()
		return nil, err
	}
	return p, nil
}

// missingLibrary returns the error for a link target that does not exist.
func (p *Package) missingLibrary() error {
	return fmt.Errorf("%s: the library %s is missing beside the package; build it or correct dependencies.link_target",
		p.Path, p.Depends.LinkTarget)
}

// open loads the dependencies that lie beside the package, then the library. The loader searches for other
// dependencies.
func (p *program) open(path string) error {
	for _, d := range p.pkg.Depends.Dynamic {
		file := p.pkg.resolve(d.TargetFile)
		if info, err := os.Stat(file); file == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		lib, err := dl.Open(file)
		if err != nil {
			return fmt.Errorf("%s: dependency %s: %w; build it for this machine or correct dependencies.dynamic",
				p.pkg.Path, d.TargetFile, err)
		}
		p.dependencies = append(p.dependencies, lib)
	}
	lib, err := dl.Open(path)
	if err != nil {
		return fmt.Errorf("%s: library %s: %w; install what it needs, or name it in dependencies.dynamic",
			p.pkg.Path, p.pkg.Depends.LinkTarget, err)
	}
	p.library = lib
	return nil
}

// Close unloads the library and its dependencies.
func (p *program) Close() error {
	for _, s := range p.kept {
		s.Free()
	}
	p.kept = nil
	return errors.Join(p.library.Close(), p.closeDependencies())
}

func (p *program) closeDependencies() error {
	var errs []error
	for _, d := range slices.Backward(p.dependencies) {
		errs = append(errs, d.Close())
	}
	p.dependencies = nil
	return errors.Join(errs...)
}

// entry returns the address of a function, looked up by its exact name. It refuses a variable of that name: Accera's
// headers define pointers to functions under the plain names, and a call of such a pointer would jump into data.
func (p *program) entry(symbol string) (uintptr, error) {
	if problem := p.exported.Problem(symbol); problem != "" {
		return 0, fmt.Errorf("%s: %s", p.pkg.Path, problem)
	}
	address, err := p.library.Lookup(symbol)
	if err != nil {
		return 0, fmt.Errorf("%s: function %s: %w; build the library again", p.pkg.Path, symbol, err)
	}
	return address, nil
}

// initialize calls the set-up functions once, in file order and with default arguments.
func (p *program) initialize() error {
	if !p.initialized {
		p.initialized = true
		if p.setupError = p.callInitializers(); p.setupError == nil {
			p.setupError = p.callInits()
		}
	}
	return p.setupError
}

func (p *program) callInitializers() error {
	for _, f := range p.pkg.Functions {
		if !f.initializer() {
			continue
		}
		if err := p.callInitializer(f); err != nil {
			return fmt.Errorf("%s: set-up function %s: %w", p.pkg.Path, f.Symbol, err)
		}
	}
	return nil
}

func (p *program) callInitializer(f *Function) error {
	t, err := p.pkg.prototypeOf(f)
	if err != nil {
		return err
	}
	b, err := t.bind(nil, nil, 0)
	if err != nil {
		return err
	}
	address, err := p.entry(f.Symbol)
	if err != nil {
		return err
	}
	sets, err := newSets(b, arguments.Request{})
	if err != nil {
		return err
	}
	p.kept = append(p.kept, sets)
	_, err = sets.callOnce(address)
	return err
}

// returned holds both return registers of a call. The type of the function determines which one counts.
type returned struct{ integer, float uint64 }

// callOnce calls the function once on the first set.
func (s *argumentSets) callOnce(entry uintptr) (returned, error) {
	f, err := s.frame(0)
	if err != nil {
		return returned{}, err
	}
	loop, err := native.NewLoop(native.MonotonicClock(), entry, []native.Frame{f})
	if err != nil {
		return returned{}, fmt.Errorf("call of %s: %w", s.symbol, err)
	}
	defer loop.Close()
	if err := loop.RunChecked(1); err != nil {
		return returned{}, err
	}
	var r returned
	r.integer, r.float = loop.Returned()
	return r, nil
}

// free returns the address of the allocator's free as the library itself sees it, or else that of the C library.
func (p *program) free() (uintptr, error) {
	if address, err := p.library.Lookup("free"); err == nil && address != 0 {
		return address, nil
	}
	var tried []string
	for _, name := range []string{"libc.so.6", "libc.so", "libSystem.B.dylib"} {
		lib, err := dl.Open(name)
		if err != nil {
			tried = append(tried, err.Error())
			continue
		}
		if address, err := lib.Lookup("free"); err == nil {
			return address, nil // the handle stays open: the C library is never unloaded
		}
	}
	return 0, fmt.Errorf("no free() found for arrays that the function allocates (%s); link the library with the C "+
		"library", strings.Join(tried, "; "))
}
