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
type environment[T any] struct {
	component func() Component                                 // which installs one
	variable  string                                           // names an interpreter of the user's
	pins      string                                           // arguments of "pip install" that bring the packages
	lacks     func(p python.Interpreter) string                // the packages that an interpreter lacks; "" if it lacks none
	describe  func(o Options, p python.Interpreter) (T, error) // describes the environment of an interpreter that lacks none
	managed   func(o Options) (T, error)                       // returns the environment that zonemark installed
}

// find finds an environment: that of o.Python, of the variable, of $VIRTUAL_ENV if it holds the packages, or the one
// that zonemark installed, in this order. It installs nothing. The error is a *NotInstalledError if there is none and
// installing would help.
func (e environment[T]) find(o Options) (T, error) {
	var none T
	for _, named := range []struct{ path, by string }{{o.Python, "--python"}, {o.getenv(e.variable), "$" + e.variable}} {
		if named.path == "" {
			continue
		}
		p, err := namedPython(named.path, named.by)
		if err != nil {
			return none, err
		}
		if lacks := e.lacks(p); lacks != "" {
			return none, fmt.Errorf("%s: %s lacks %s: \"%s -m pip install %s\" installs what is needed; without %s, "+
				"zonemark uses a Python environment of its own", named.by, p.Executable, lacks, p.Executable, e.pins, named.by)
		}
		return e.describe(o, p)
	}
	if folder := o.getenv("VIRTUAL_ENV"); folder != "" && files.IsFile(python.Of(folder)) {
		// A user may have activated an environment for another purpose, so one that does not work or lacks a package is
		// skipped.
		if p, err := python.Probe(python.Of(folder)); err == nil && e.lacks(p) == "" {
			return e.describe(o, p)
		}
	}
	return e.managed(o)
}

// ensure finds an environment as find does and installs one into zonemark's cache if there is none. If o.Python names
// an interpreter without the packages, the environment is made with that interpreter. An interrupted installation
// continues, and ensure waits for another zonemark that is installing. If the context ends or anything fails, nothing is
// left that looks installed.
func (e environment[T]) ensure(ctx context.Context, o Options) (T, error) {
	var none T
	if o.Python != "" {
		base, err := namedPython(o.Python, "--python")
		if err != nil {
			return none, err
		}
		if e.lacks(base) == "" {
			return e.find(o)
		}
	} else {
		found, err := e.find(o)
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

// install installs the packages with Python 3.newest or an older one. The manifest lacks the description, which is
// returned beside it.
func (e environment[T]) install(ctx context.Context, w *Work, set wheels, newest int) (Manifest, *T, error) {
	set.yourself = fmt.Sprintf("or install %s into a Python environment of your own and name it with --python or $%s",
		e.pins, e.variable)
	artifacts, installed, err := set.installAndProbe(ctx, w, newest)
	if err != nil {
		return Manifest{}, nil, err
	}
	if lacks := e.lacks(installed); lacks != "" {
		return Manifest{}, nil, fmt.Errorf("%s lacks %s, though pip installed it", installed.Executable, lacks)
	}
	found, err := e.describe(w.Options, installed)
	return Manifest{Python: installed.Version, Artifacts: artifacts}, &found, err
}

// inCache reports whether zonemark installed the component that an interpreter belongs to.
func (c Component) inCache(o Options, interpreter string) bool {
	folder, err := c.Folder(o)
	return err == nil && strings.HasPrefix(interpreter, folder+string(filepath.Separator))
}

// brokenEnvironment returns which of the paths is missing or not in the folder, and why; "" if all are there.
func brokenEnvironment(folder string, paths ...string) string {
	for _, path := range paths {
		if !strings.HasPrefix(path, folder+string(filepath.Separator)) ||
			slices.Contains(strings.Split(path, string(filepath.Separator)), "..") {
			return fmt.Sprintf("%s is not in %s: the folder was moved, and Python environments cannot be", path, folder)
		}
		if !files.IsFile(path) && !files.IsFolder(path) {
			return path + " is gone"
		}
	}
	return pip.BrokenPackages(folder, environmentFolder)
}

// undescribed is what is wrong with the manifest of an environment that has no description.
const undescribed = "its manifest does not tell where things are"
