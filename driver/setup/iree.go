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
	CAPI string `json:"-"`
	ONNX string `json:"-"` // the folder of the package onnx; empty if the user has not installed it beside IREE
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

// ireeEnvironment is what an environment with IREE must hold. The sizes are those of the pinned wheels on Linux, x86-64,
// Python 3.11; other platforms differ by a few megabytes.
func ireeEnvironment() environment[IREE] {
	return environment[IREE]{
		row: Component{
			Name:     "iree",
			Version:  ireeVersion,
			Summary:  "IREE's compiler and runtime, in a private Python environment",
			Expected: true,
			Help: Help{
				Example: "what \"run\" does on first use of an IREE module",
				Places:  "IREE",
				Own: "A Python environment of your own that holds IREE is used instead if --python or $" + PythonVariable +
					" names it, or if it is activated ($VIRTUAL_ENV).",
			},
		},
		variable: PythonVariable, pins: ireePins, packages: ireeRuntime,
		wheels: wheels{
			names:        ireeRuntime + " " + ireeVersion + " and " + ireeCompiler + " " + ireeVersion,
			requirements: ireeRequirements, downloadBytes: 125_000_000, diskBytes: 590_000_000,
		},
		newest: python.Newest,
		lacks: func(p python.Interpreter) string {
			if p.Runtime == nil {
				return ireeRuntime
			}
			return ""
		},
		describe: describeIREE, complete: Options.completeIREE,
		kept: func(m *Manifest) **IREE { return &m.IREE },
	}
}

func (i IREE) found() Found {
	f := Found{Version: i.Version, Place: i.Interpreter, Environment: i.Environment()}
	if i.NoLibPython != "" {
		f.Notes = []string{i.NoLibPython}
	}
	return f
}

func (i IREE) listed() (version, folder string) { return i.Version, i.Site }

func (i IREE) parts() []string { return []string{i.Interpreter, i.Site, i.Compile, i.Tools} }

// FindIREE finds IREE's Python packages: those of o.Python, of $ZONEMARK_IREE_PYTHON, of $VIRTUAL_ENV if it holds them,
// or those that zonemark installed, in this order. The other ZONEMARK_IREE_* variables win over what is found, but not
// over o.Python. It installs nothing. The error is a *NotInstalledError if there are none and installing them would
// help. Any other error names what is wrong with the packages that it found, and the remedy.
func FindIREE(o Options) (IREE, error) { return ireeEnvironment().find(o) }

// InstallIREE finds IREE as FindIREE does and installs it into zonemark's cache if it is not there. If o.Python names
// an interpreter without IREE, the environment is made with that interpreter. An interrupted installation continues. If
// another zonemark is installing, InstallIREE waits for it. If the context ends or anything fails, nothing is left that
// looks installed.
func InstallIREE(ctx context.Context, o Options) (IREE, error) {
	return ireeEnvironment().ensure(ctx, o)
}

// completeIREE adds the C runtime, the shared library of Python if it was installed or moved since the manifest was
// written, and, unless o.Python names the interpreter, what the variables name.
func (o Options) completeIREE(found IREE) (IREE, error) {
	if found.NoLibPython == "" && !files.IsFile(found.LibPython) {
		p, err := python.Probe(found.Interpreter)
		if err != nil {
			return IREE{}, &NotInstalledError{ireeEnvironment().row.Name, err.Error()}
		}
		found.LibPython, found.NoLibPython = p.Library()
	}
	if o.Python == "" {
		for _, v := range []struct {
			name string
			path *string
			is   func(path string) bool
		}{{LibPythonVariable, &found.LibPython, files.IsFile}, {SiteVariable, &found.Site, files.IsFolder},
			{CompileVariable, &found.Compile, files.IsFile}, {ToolsVariable, &found.Tools, files.IsFolder}} {
			path := o.getenv(v.name)
			if path == "" {
				continue
			}
			if !v.is(path) {
				return IREE{}, fmt.Errorf("$%s: %s: there is no such file or folder; take the variable out of the environment",
					v.name, path)
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
		return IREE{}, damaged(p, ireeRuntime, p.Runtime.Version, "the folder "+found.Tools)
	}
	if p.Compiler == nil {
		return found, nil
	}
	found.CompilerVersion = p.Compiler.Version
	found.Compile = filepath.Join(p.Compiler.Site, "iree", "compiler", "_mlir_libs", "iree-compile"+executableSuffix())
	if !files.IsFile(found.Compile) {
		return IREE{}, damaged(p, ireeCompiler, p.Compiler.Version, "the program "+found.Compile)
	}
	return found, nil
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
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

// baseFor returns the interpreter to make a private environment with, for packages whose newest wheels are for Python
// 3.newest.
func (o Options) baseFor(newest int) (python.Interpreter, error) {
	if o.Python == "" {
		return python.Find(newest)
	}
	base, err := namedPython(o.Python, "--python")
	if err != nil {
		return python.Interpreter{}, err
	}
	if reason := base.UnfitFor(newest); reason != "" {
		return python.Interpreter{}, fmt.Errorf("--python: %s %s", base.Executable, reason)
	}
	return base, nil
}
