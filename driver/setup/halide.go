package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// Halide is a Python environment that holds Halide, and where Halide lies in it. Paths are absolute.
type Halide struct {
	Python      string `json:"python"`      // version of the interpreter, "3.11.7"
	Interpreter string `json:"interpreter"` // the interpreter of the environment
	// the folder of the package, which holds Halide's programs (bin), headers (include) and libraries (lib64, or lib
	// outside of Linux)
	Folder  string `json:"folder"`
	Version string `json:"version"` // of the package
}

// The variables by which executors, and a user's shell, learn where Halide is.
const (
	HalidePythonVariable  = "ZONEMARK_HALIDE_PYTHON"
	HalideFolderVariable  = "ZONEMARK_HALIDE_FOLDER"
	HalideVersionVariable = "ZONEMARK_HALIDE_VERSION"
)

// The pinned release of Halide, and the releases that zonemark can use.
const (
	halideVersion              = "21.0.0"
	halidePackage              = "halide"
	halidePin                  = halidePackage + "==" + halideVersion
	oldestHalide, newestHalide = 19, 21
)

// halideEnvironment is what an environment with Halide must hold. The sizes are those of the wheels on Linux, x86-64,
// Python 3.11; other platforms differ by a few megabytes.
func halideEnvironment() environment[Halide] {
	return environment[Halide]{
		row: Component{
			Name:    "halide",
			Version: halideVersion,
			Summary: "Halide's compiler and autoschedulers, in a private Python environment",
			Help: Help{
				Example: "Halide, which generators of its pipelines are built with",
				Places:  "Halide",
				Own:     "Halide is taken from the environment that --python or $" + HalidePythonVariable + " names.",
			},
		},
		variable: HalidePythonVariable, pins: halidePin, packages: halidePackage,
		wheels: wheels{
			names: halidePackage + " " + halideVersion, requirements: halideRequirements,
			downloadBytes: 90_000_000, diskBytes: 270_000_000,
		},
		newest: 13, // for which Halide has wheels
		unfit:  unfitForHalide,
		lacks: func(p python.Interpreter) string {
			if p.Halide == nil {
				return halidePackage
			}
			return ""
		},
		describe: describeHalide,
		kept:     func(m *Manifest) **Halide { return &m.Halide },
	}
}

// Environment returns the variables, NAME=VALUE, that tell executors where things are.
func (h Halide) Environment() []string {
	return []string{
		HalidePythonVariable + "=" + h.Interpreter,
		HalideFolderVariable + "=" + h.Folder,
		HalideVersionVariable + "=" + h.Version,
	}
}

func (h Halide) found() Found {
	return Found{Version: h.Version, Place: h.Interpreter, Environment: h.Environment()}
}

func (h Halide) listed() (version, folder string) { return h.Version, h.Folder }

func (h Halide) parts() []string { return []string{h.Interpreter, h.Folder} }

// FindHalide finds an environment with Halide: that of o.Python, of $ZONEMARK_HALIDE_PYTHON, of $VIRTUAL_ENV when it
// holds Halide, or the one that zonemark installed, in this order. It installs nothing: the error is a
// *NotInstalledError if there is none and installing it would help.
func FindHalide(o Options) (Halide, error) { return halideEnvironment().find(o) }

// InstallHalide finds an environment as FindHalide does and installs one into zonemark's cache if there is none. With
// o.Python, it makes the environment with that interpreter unless that has Halide itself. An interrupted installation
// continues.
func InstallHalide(ctx context.Context, o Options) (Halide, error) {
	return halideEnvironment().ensure(ctx, o)
}

// describeHalide returns the Halide of an interpreter. The error says that it cannot be used.
func describeHalide(p python.Interpreter) (Halide, error) {
	major, _, ok := python.Minor(p.Halide.Version)
	if !ok || major < oldestHalide || major > newestHalide {
		return Halide{}, fmt.Errorf("%s: %s %s is there, and %d to %d are supported: \"%s -m pip install %s\" brings what "+
			"fits; or leave this Python out, and zonemark uses its own", p.Executable, halidePackage, p.Halide.Version,
			oldestHalide, newestHalide, p.Executable, halidePin)
	}
	found := Halide{
		Python: p.Version, Interpreter: p.Executable, Folder: filepath.Join(p.Halide.Site, halidePackage),
		Version: p.Halide.Version,
	}
	if !files.IsFolder(found.Folder) {
		return Halide{}, damaged(p, halidePackage, found.Version, "the folder "+found.Folder)
	}
	return found, nil
}

// unfitForHalide returns an error on machines for which Halide has no wheels.
func unfitForHalide() error {
	if runtime.GOOS != "linux" || runtime.GOARCH == "amd64" {
		return nil
	}
	return fmt.Errorf("the packages of %s for Linux are made for x86-64 only, and this is %s: install %s %d to %d into a "+
		"Python environment of your own and name it with --python or $%s",
		halidePackage, runtime.GOARCH, halidePackage, oldestHalide, newestHalide, HalidePythonVariable)
}
