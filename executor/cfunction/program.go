package cfunction

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/cfunction/exports"
	"zonemark/executor/dl"
	"zonemark/executor/native"
)

// program is a loaded library.
type program struct {
	described    *Library
	library      dl.Library
	exported     exports.Library // read from the header of the loaded file
	dependencies []dl.Library    // opened before the library, so that the loader finds them by name
	defining     []string        // names of those dependencies that define what the library does not name
	notes        []string        // about loading, for every invocation
	initialized  bool
	setupError   error           // why the set-up functions could not be called; then no function runs
	kept         []*argumentSets // arguments of set-up functions, which may keep pointers to them
	wanted       *wanted         // what the latest reference has written; nil: not known
}

// Open opens a library, and the others that it needs.
func Open(l *Library) (executor.Program, error) {
	p, err := open(l)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func open(l *Library) (*program, error) {
	p := &program{described: l}
	var err error
	if p.exported, err = exports.InspectFile(l.File.Path); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Of, err)
	}
	if err := p.openFiles(); err != nil {
		p.closeDependencies()
		return nil, err
	}
	return p, nil
}

// openFiles loads the dependencies that are there, then the library. The loader searches for other dependencies.
func (p *program) openFiles() error {
	for _, d := range p.described.Dependencies {
		if info, err := os.Stat(d.Path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		lib, err := dl.OpenOwn(d.Path)
		if err != nil {
			return fmt.Errorf("%s: dependency %s: %w; %s", p.described.Of, d.Name, err, d.Remedy)
		}
		p.dependencies = append(p.dependencies, lib)
	}
	f := p.described.File
	lib, err := p.openLibrary(f.Path)
	if err != nil {
		what := f.Remedy
		if u, undefined := err.(*undefinedError); undefined && p.described.File.Own {
			what = u.remedy()
		}
		return fmt.Errorf("%s: library %s: %w; %s", p.described.Of, f.Name, err, what)
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
		return 0, fmt.Errorf("%s: %s", p.described.Of, problem)
	}
	address, err := p.library.Lookup(symbol)
	if err != nil {
		return 0, fmt.Errorf("%s: function %s: %w; build the library again", p.described.Of, symbol, err)
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
	for i := range p.described.Functions {
		f := &p.described.Functions[i]
		if !f.SetUp {
			continue
		}
		if err := p.callInitializer(f); err != nil {
			return fmt.Errorf("%s: set-up function %s: %w", p.described.Of, f.Symbol, err)
		}
	}
	return nil
}

func (p *program) callInitializer(f *Function) error {
	if f.Prototype == nil {
		return f.Err
	}
	b, err := f.Prototype.bind(nil, nil, 0)
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
