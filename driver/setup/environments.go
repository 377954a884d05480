package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/setup/pip"
	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// environment is a kind of Python environment, by the packages that it must hold. T describes one that was found.
type environment[T described] struct {
	row      Component                             // of the table of components, without its functions
	variable string                                // names an interpreter of the user's
	pins     string                                // arguments of "pip install" that bring the packages
	packages string                                // what it holds, for people
	wheels   wheels                                // that are installed
	newest   int                                   // the packages have no wheels for later Pythons than 3.newest
	unfit    func() error                          // why it cannot be installed on this machine; may be nil
	lacks    func(p python.Interpreter) string     // the packages that an interpreter lacks; "" if it lacks none
	describe func(p python.Interpreter) (T, error) // describes the environment of an interpreter that lacks none
	complete func(o Options, found T) (T, error)   // adds what is elsewhere; may be nil
	kept     func(m *Manifest) **T                 // where the manifest of an installation has the description
}

// described is the description of an environment.
type described interface {
	found() Found                     // as the table of components tells of it; Place is its interpreter
	listed() (version, folder string) // in the list of what is installed
	parts() []string                  // files and folders that must be there
}

// component returns the row of the table of components.
func (e environment[T]) component() Component {
	c := e.row
	c.Plan, c.Install, c.Broken, c.Existing = e.wheels.plan(), e.install, e.broken, e.existing
	c.Find = func(o Options) (Found, error) {
		found, err := e.find(o)
		return found.found(), err
	}
	c.FindOrInstall = func(ctx context.Context, o Options) (Found, error) {
		found, err := e.ensure(ctx, o)
		return found.found(), err
	}
	return c
}

// find finds an environment: that of o.Python, of the variable, of $VIRTUAL_ENV if it holds the packages, or the one
// that zonemark installed, in this order. It installs nothing. The error is a *NotInstalledError if there is none and
// installing would help.
func (e environment[T]) find(o Options) (T, error) {
	found, err := e.search(o)
	return e.completed(o, found, err)
}

// ensure finds an environment as find does and installs one into zonemark's cache if there is none. If o.Python names
// an interpreter without the packages, the environment is made with that interpreter. An interrupted installation
// continues, and ensure waits for another zonemark that is installing. If the context ends or anything fails, nothing is
// left that looks installed.
func (e environment[T]) ensure(ctx context.Context, o Options) (T, error) {
	found, err := e.searchOrInstall(ctx, o)
	return e.completed(o, found, err)
}

// completed returns what was found with what is elsewhere.
func (e environment[T]) completed(o Options, found T, err error) (T, error) {
	if err == nil && e.complete != nil {
		return e.complete(o, found)
	}
	return found, err
}

// search does what find does, without what is elsewhere.
func (e environment[T]) search(o Options) (T, error) {
	var none T
	for _, named := range []struct{ path, by string }{{o.Python, "--python"}, {o.getenv(e.variable), "$" + e.variable}} {
		if named.path == "" {
			continue
		}
		if found, known := e.installed(named.path); known {
			return found, nil
		}
		p, err := namedPython(named.path, named.by)
		if err != nil {
			return none, err
		}
		if lacks := e.lacks(p); lacks != "" {
			return none, fmt.Errorf("%s: %s lacks %s: \"%s -m pip install %s\" installs what is needed; without %s, "+
				"zonemark uses a Python environment of its own", named.by, p.Executable, lacks, p.Executable, e.pins, named.by)
		}
		return e.describe(p)
	}
	if folder := o.getenv("VIRTUAL_ENV"); folder != "" && files.IsFile(python.Of(folder)) {
		// A user may have activated an environment for another purpose, so one that does not work or lacks a package is
		// skipped.
		if p, err := python.Probe(python.Of(folder)); err == nil && e.lacks(p) == "" {
			return e.describe(p)
		}
	}
	return e.managed(o)
}

// searchOrInstall does what ensure does, without what is elsewhere.
func (e environment[T]) searchOrInstall(ctx context.Context, o Options) (T, error) {
	var none T
	if o.FindOnly {
		return e.search(o)
	}
	if o.Python != "" {
		base, err := namedPython(o.Python, "--python")
		if err != nil {
			return none, err
		}
		if e.lacks(base) == "" {
			return e.search(o)
		}
	} else {
		found, err := e.search(o)
		var absent *NotInstalledError
		if !errors.As(err, &absent) {
			return found, err
		}
	}
	if _, err := ensure(ctx, o, e.component()); err != nil {
		return none, err
	}
	return e.managed(o)
}

// managed returns the environment that zonemark installed, as its manifest tells.
func (e environment[T]) managed(o Options) (found T, err error) {
	_, m, err := e.component().installed(o, "Python environment with "+e.packages)
	if err != nil {
		return found, err
	}
	return **e.kept(&m), nil // one without a description is broken
}

// install installs the packages.
func (e environment[T]) install(ctx context.Context, w *Work) (Manifest, error) {
	if e.unfit != nil {
		if err := e.unfit(); err != nil {
			return Manifest{}, err
		}
	}
	set := e.wheels
	set.yourself = fmt.Sprintf("or install %s into a Python environment of your own and name it with --python or $%s",
		e.pins, e.variable)
	base, err := w.Options.baseFor(e.newest)
	if err != nil {
		return Manifest{}, err
	}
	artifacts, err := set.install(ctx, w, base)
	if err != nil {
		return Manifest{}, err
	}
	installed, err := python.Probe(python.Of(filepath.Join(w.Folder, environmentFolder)))
	if err != nil {
		return Manifest{}, err
	}
	if lacks := e.lacks(installed); lacks != "" {
		return Manifest{}, fmt.Errorf("%s lacks %s, though pip installed it", installed.Executable, lacks)
	}
	found, err := e.describe(installed)
	if err != nil {
		return Manifest{}, err
	}
	for _, note := range found.found().Notes {
		w.Options.say("%s", note)
	}
	m := Manifest{Python: installed.Version, Artifacts: artifacts}
	*e.kept(&m) = &found
	return m, nil
}

// broken returns what is missing of an environment that was installed; "" if nothing is.
func (e environment[T]) broken(folder string, m Manifest) string {
	found := *e.kept(&m)
	if found == nil {
		return undescribed
	}
	return brokenEnvironment(folder, (*found).parts()...)
}

// installed returns what the manifest of an installation tells of its interpreter, such as "setup --env" names. Asking
// the interpreter takes a tenth of a second, and is left to one that is no installation's, or whose packages have
// changed since.
func (e environment[T]) installed(interpreter string) (found T, known bool) {
	folder := filepath.Dir(filepath.Dir(filepath.Dir(interpreter)))
	if interpreter != python.Of(filepath.Join(folder, environmentFolder)) {
		return found, false
	}
	m, err := readManifest(folder, e.row.Name, e.row.Version)
	if err != nil || *e.kept(&m) == nil || !slices.Equal(m.packages(), pip.Packages(folder, environmentFolder)) {
		return found, false
	}
	found = **e.kept(&m)
	return found, found.found().Place == interpreter && missingPart(folder, found.parts()) == ""
}

// existing returns the environment of the user's that find would use, if any.
func (e environment[T]) existing(o Options, _ []string) []Status {
	found, err := e.search(o)
	s := Status{Name: e.row.Name}
	s.Version, s.Folder = found.listed()
	return existingStatus(s, e.component().inCache(o, found.found().Place), err)
}

// damaged returns the error about a package that lacks a part, with what mends it.
func damaged(p python.Interpreter, name, version, part string) error {
	return fmt.Errorf("%s: %s %s lacks %s: \"%s -m pip install --force-reinstall --no-deps %s==%s\" mends it",
		p.Executable, name, version, part, p.Executable, name, version)
}

// inCache reports whether zonemark installed the component that an interpreter belongs to.
func (c Component) inCache(o Options, interpreter string) bool {
	folder, err := c.Folder(o)
	return err == nil && strings.HasPrefix(interpreter, folder+string(filepath.Separator))
}

// brokenEnvironment returns which of the paths is missing or not in the folder, or which package is not what was
// installed, and why; "" if all are there.
func brokenEnvironment(folder string, paths ...string) string {
	if missing := missingPart(folder, paths); missing != "" {
		return missing
	}
	return pip.BrokenPackages(folder, environmentFolder)
}

// missingPart returns which of the paths is missing or not in the folder, and why; "" if all are there.
func missingPart(folder string, paths []string) string {
	for _, path := range paths {
		if !strings.HasPrefix(path, folder+string(filepath.Separator)) ||
			slices.Contains(strings.Split(path, string(filepath.Separator)), "..") {
			return fmt.Sprintf("%s is not in %s: the folder was moved, and Python environments cannot be", path, folder)
		}
		if !files.IsFile(path) && !files.IsFolder(path) {
			return path + " is gone"
		}
	}
	return ""
}

// undescribed is what is wrong with the manifest of an environment that has no description.
const undescribed = "its manifest does not tell where things are"
