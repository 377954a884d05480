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
	Managed bool   `json:"-"`       // zonemark installed it
}

// The variables by which executors, and a user's shell, learn where Halide is.
const (
	HalidePythonVariable  = "ZONEMARK_HALIDE_PYTHON"
	HalideFolderVariable  = "ZONEMARK_HALIDE_FOLDER"
	HalideVersionVariable = "ZONEMARK_HALIDE_VERSION"
)

// The pinned release of Halide, the releases that zonemark can use, and what the wheels are on Linux, x86-64, Python
// 3.11; other platforms differ by a few megabytes.
const (
	halideVersion              = "21.0.0"
	halidePackage              = "halide"
	halidePin                  = halidePackage + "==" + halideVersion
	oldestHalide, newestHalide = 19, 21
	halideDownloadBytes        = 90_000_000
	halideDiskBytes            = 270_000_000
	newestHalidePython         = 13 // for which Halide has wheels
)

func halideComponent() Component {
	return Component{
		Name:    "halide",
		Version: halideVersion,
		Summary: "Halide's compiler and autoschedulers, in a private Python environment",
		Plan: fmt.Sprintf(
			"installing %s %s (about %d MB to download, %d MB on disk)",
			halidePackage,
			halideVersion,
			halideDownloadBytes/1_000_000,
			halideDiskBytes/1_000_000,
		),
		Install: installHalide,
		Broken:  brokenHalide,
		Find: func(o Options) (Found, error) {
			found, err := FindHalide(o)
			return found.found(), err
		},
		FindOrInstall: func(ctx context.Context, o Options) (Found, error) {
			found, err := InstallHalide(ctx, o)
			return found.found(), err
		},
		Existing: Options.halideStatus,
		Help: Help{
			Example: "Halide, which generators of its pipelines are built with",
			Places:  "Halide",
			Own:     "Halide is taken from the environment that --python or $" + HalidePythonVariable + " names.",
		},
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

// found returns the environment as the table of components tells of it.
func (h Halide) found() Found {
	return Found{Version: h.Version, Place: h.Interpreter, Environment: h.Environment()}
}

// halideEnvironment is what an environment with Halide must hold.
func halideEnvironment() environment[Halide] {
	return environment[Halide]{
		component: halideComponent, variable: HalidePythonVariable, pins: halidePin,
		lacks: func(p python.Interpreter) string {
			if p.Halide == nil {
				return halidePackage
			}
			return ""
		},
		describe: Options.existingHalide, managed: Options.managedHalide,
	}
}

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

// existingHalide returns the Halide of an interpreter that the user named or manages.
func (o Options) existingHalide(p python.Interpreter) (Halide, error) {
	major, _, ok := python.Minor(p.Halide.Version)
	if !ok || major < oldestHalide || major > newestHalide {
		return Halide{}, fmt.Errorf(
			"%s: %s %s is there, and %d to %d are supported: \"%s -m pip install %s\" brings what fits; or leave this "+
				"Python out, and zonemark uses its own",
			p.Executable,
			halidePackage,
			p.Halide.Version,
			oldestHalide,
			newestHalide,
			p.Executable,
			halidePin,
		)
	}
	found := Halide{
		Python:      p.Version,
		Interpreter: p.Executable,
		Folder:      filepath.Join(p.Halide.Site, halidePackage),
		Version:     p.Halide.Version,
	}
	if !files.IsFolder(found.Folder) {
		return Halide{}, fmt.Errorf(
			"%s: %s %s lacks the folder %s: \"%s -m pip install --force-reinstall --no-deps %s==%s\" mends it",
			p.Executable,
			halidePackage,
			found.Version,
			found.Folder,
			p.Executable,
			halidePackage,
			found.Version,
		)
	}
	found.Managed = halideComponent().inCache(o, found.Interpreter)
	return found, nil
}

// managedHalide returns the environment that zonemark installed, as its manifest tells.
func (o Options) managedHalide() (Halide, error) {
	_, m, err := halideComponent().installed(o, "Python environment with "+halidePackage)
	if err != nil {
		return Halide{}, err
	}
	found := *m.Halide
	found.Managed = true
	return found, nil
}

func installHalide(ctx context.Context, w *Work) (Manifest, error) {
	if runtime.GOOS == "linux" && runtime.GOARCH != "amd64" {
		return Manifest{}, fmt.Errorf("the packages of %s for Linux are made for x86-64 only, and this is %s: install %s "+
			"%d to %d into a Python environment of your own and name it with --python or $%s",
			halidePackage, runtime.GOARCH, halidePackage, oldestHalide, newestHalide, HalidePythonVariable)
	}
	m, found, err := halideEnvironment().install(ctx, w, wheels{
		requirements: halideRequirements, downloadBytes: halideDownloadBytes, diskBytes: halideDiskBytes,
	}, newestHalidePython)
	m.Halide = found
	return m, err
}

// brokenHalide returns what is missing of an environment that was installed; "" if nothing is.
func brokenHalide(folder string, m Manifest) string {
	if m.Halide == nil {
		return undescribed
	}
	return brokenEnvironment(folder, m.Halide.Interpreter, m.Halide.Folder)
}

// halideStatus returns the environment of the user's that FindHalide would use, if any.
func (o Options) halideStatus([]string) []Status {
	found, err := FindHalide(o)
	s := Status{Name: halideComponent().Name, Version: found.Version, Folder: found.Folder}
	return existingStatus(s, found.Managed, err)
}
