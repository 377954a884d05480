package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// IREE is an environment that holds IREE's Python packages, with the paths of its parts. Paths are absolute.
type IREE struct {
	Python      string `json:"python"`              // version of the interpreter, "3.11.7"
	Interpreter string `json:"interpreter"`         // the interpreter of the environment
	LibPython   string `json:"libpython,omitempty"` // its shared library; empty if it has none
	NoLibPython string `json:"-"`                   // why it has none, and what to do
	Site        string `json:"site"`                // the folder that holds the package iree
	// the program iree-compile; empty if the compiler is not there
	Compile         string `json:"compile,omitempty"`
	Tools           string `json:"tools"`                      // the folder of iree-benchmark-module and the other tools
	Version         string `json:"version"`                    // of iree-base-runtime
	CompilerVersion string `json:"compiler_version,omitempty"` // of iree-base-compiler
	// the shared library of the C runtime; empty if it is not there
	CAPI    string `json:"-"`
	ONNX    string `json:"-"` // the folder of the package onnx; empty if the user has not installed it beside IREE
	Managed bool   `json:"-"` // zonemark installed it
}

// The variables that tell executors, and a user's shell, where IREE is.
const (
	PythonVariable    = "ZONEMARK_IREE_PYTHON"
	LibPythonVariable = "ZONEMARK_IREE_LIBPYTHON"
	SiteVariable      = "ZONEMARK_IREE_SITE"
	CompileVariable   = "ZONEMARK_IREE_COMPILE"
	ToolsVariable     = "ZONEMARK_IREE_TOOLS"
	CAPIVariable      = "ZONEMARK_IREE_CAPI"
	VersionVariable   = "ZONEMARK_IREE_VERSION"
)

// Environment returns the variables, NAME=VALUE, that tell executors where the parts of IREE are. The variable of a
// missing part has an empty value, so that an inherited value has no effect.
func (i IREE) Environment() []string {
	return []string{
		PythonVariable + "=" + i.Interpreter,
		LibPythonVariable + "=" + i.LibPython,
		SiteVariable + "=" + i.Site,
		CompileVariable + "=" + i.Compile,
		ToolsVariable + "=" + i.Tools,
		CAPIVariable + "=" + i.CAPI,
		VersionVariable + "=" + i.Version,
	}
}

// ireeEnvironment is what an environment with IREE must hold.
func ireeEnvironment() environment[IREE] {
	return environment[IREE]{
		component: ireeComponent, variable: PythonVariable, pins: ireePins,
		lacks: func(p python.Interpreter) string {
			if p.Runtime == nil {
				return ireeRuntime
			}
			return ""
		},
		describe: func(o Options, p python.Interpreter) (IREE, error) {
			found, err := describeIREE(p)
			found.Managed = ireeComponent().inCache(o, found.Interpreter)
			return found, err
		},
		managed: Options.managedIREE,
	}
}

// FindIREE finds IREE's Python packages: those of o.Python, of $ZONEMARK_IREE_PYTHON, of $VIRTUAL_ENV if it holds them,
// or those that zonemark installed, in this order. The other ZONEMARK_IREE_* variables win over what is found, but not
// over o.Python. It installs nothing. The error is a *NotInstalledError if there are none and installing them would
// help. Any other error names what is wrong with the packages that it found, and the remedy.
func FindIREE(o Options) (IREE, error) {
	found, err := ireeEnvironment().find(o)
	if err != nil {
		return IREE{}, err
	}
	return o.completeIREE(found)
}

// InstallIREE finds IREE as FindIREE does and installs it into zonemark's cache if it is not there. If o.Python names
// an interpreter without IREE, the environment is made with that interpreter. An interrupted installation continues. If
// another zonemark is installing, InstallIREE waits for it. If the context ends or anything fails, nothing is left that
// looks installed.
func InstallIREE(ctx context.Context, o Options) (IREE, error) {
	found, err := ireeEnvironment().ensure(ctx, o)
	if err != nil {
		return IREE{}, err
	}
	return o.completeIREE(found)
}

// completeIREE adds the C runtime and, unless o.Python names the interpreter, what the variables name.
func (o Options) completeIREE(found IREE) (IREE, error) {
	if o.Python == "" {
		for _, v := range []struct {
			name   string
			path   *string
			folder bool
		}{{LibPythonVariable, &found.LibPython, false}, {SiteVariable, &found.Site, true}, {CompileVariable,
			&found.Compile, false}, {ToolsVariable, &found.Tools, true}} {
			path := o.getenv(v.name)
			if path == "" {
				continue
			}
			if v.folder && !files.IsFolder(path) || !v.folder && !files.IsFile(path) {
				return IREE{}, fmt.Errorf(
					"$%s: %s: there is no such file or folder; take the variable out of the environment",
					v.name,
					path,
				)
			}
			*v.path = path
		}
		if found.LibPython != "" {
			found.NoLibPython = ""
		}
	}
	var err error
	found.CAPI, err = FindCAPI(o)
	var none *NotInstalledError
	if err != nil && !errors.As(err, &none) {
		return IREE{}, err
	}
	return found, nil
}

// describeIREE returns the paths in an interpreter that has IREE. The error says that its packages cannot be used.
func describeIREE(p python.Interpreter) (IREE, error) {
	if err := checkIREE(p); err != nil {
		return IREE{}, err
	}
	found := IREE{Python: p.Version, Interpreter: p.Executable, Site: p.Runtime.Site, Version: p.Runtime.Version}
	if p.ONNX != nil {
		found.ONNX = p.ONNX.Site
	}
	found.LibPython, found.NoLibPython = p.Library()
	found.Tools = filepath.Join(found.Site, "iree", "_runtime_libs")
	if !files.IsFolder(found.Tools) {
		return IREE{}, fmt.Errorf(
			"%s: %s %s lacks the folder %s: \"%s -m pip install --force-reinstall --no-deps %s==%s\" mends it",
			p.Executable,
			ireeRuntime,
			p.Runtime.Version,
			found.Tools,
			p.Executable,
			ireeRuntime,
			p.Runtime.Version,
		)
	}
	if p.Compiler != nil {
		found.CompilerVersion = p.Compiler.Version
		found.Compile = filepath.Join(
			p.Compiler.Site,
			"iree",
			"compiler",
			"_mlir_libs",
			"iree-compile"+executableSuffix(),
		)
		if !files.IsFile(found.Compile) {
			return IREE{}, fmt.Errorf(
				"%s: %s %s lacks the program %s: \"%s -m pip install --force-reinstall --no-deps %s==%s\" mends it",
				p.Executable,
				ireeCompiler,
				p.Compiler.Version,
				found.Compile,
				p.Executable,
				ireeCompiler,
				p.Compiler.Version,
			)
		}
	}
	return found, nil
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// managedIREE returns the environment that zonemark installed. The paths come from its manifest. Python is started only
// if libpython is missing.
func (o Options) managedIREE() (IREE, error) {
	c := ireeComponent()
	_, m, err := c.installed(o, "Python environment with "+ireeRuntime)
	if err != nil {
		return IREE{}, err
	}
	found := *m.IREE
	found.Managed = true
	if found.LibPython == "" || !files.IsFile(found.LibPython) { // it may have been installed or moved since
		p, err := python.Probe(found.Interpreter)
		if err != nil {
			return IREE{}, &NotInstalledError{c.Name, err.Error()}
		}
		found.LibPython, found.NoLibPython = p.Library()
	}
	return found, nil
}

// brokenIREE returns what is missing of an environment that was installed; "" if nothing is.
func brokenIREE(folder string, m Manifest) string {
	if m.IREE == nil {
		return undescribed
	}
	return brokenEnvironment(folder, m.IREE.Interpreter, m.IREE.Site, m.IREE.Compile, m.IREE.Tools)
}

// namedPython returns the interpreter that the user named by a flag or variable.
func namedPython(path, by string) (python.Interpreter, error) {
	interpreter, err := python.In(path)
	if err != nil {
		return python.Interpreter{}, fmt.Errorf("%s: %w", by, err)
	}
	p, err := python.Probe(interpreter)
	if err != nil {
		return python.Interpreter{}, fmt.Errorf("%s: %w", by, err)
	}
	return p, nil
}
