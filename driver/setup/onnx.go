package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// ONNXVariable is the variable by which executors, and a user's shell, learn which folder holds the package onnx.
const ONNXVariable = "ZONEMARK_IREE_ONNX"

// The pinned release of the package onnx.
const (
	onnxPackage = "onnx"
	onnxVersion = "1.23.2"
)

func onnxComponent() Component {
	return Component{
		Name:          "iree-onnx",
		Version:       onnxVersion,
		Summary:       "the package onnx, with which IREE imports ONNX models, for IREE's Python",
		Plan:          onnxWheels().plan(),
		Install:       installONNX,
		Broken:        brokenONNX,
		Find:          foundBy(ONNXVariable, FindONNX),
		FindOrInstall: findOrInstallONNX,
		Existing:      Options.existingONNX,
		Help: Help{
			Example: "what imports ONNX models, for \"run model.onnx\"",
			Own: "The package onnx is taken from such an environment with IREE, too, or from the folder that $" +
				ONNXVariable + " names.",
		},
	}
}

// FindONNX returns the folder with the Python package onnx, for the interpreter that FindIREE finds: the folder that
// $ZONEMARK_IREE_ONNX names, that of the interpreter itself if the user has installed the package there, or the one that
// zonemark installed. It installs nothing. The error is a *NotInstalledError if there is none, or no IREE.
func FindONNX(o Options) (string, error) {
	if folder := o.getenv(ONNXVariable); folder != "" {
		if !files.IsFolder(filepath.Join(folder, onnxPackage)) {
			return "", fmt.Errorf("$%s: %s holds no package %s; take the variable out of the environment",
				ONNXVariable, folder, onnxPackage)
		}
		return filepath.Abs(folder)
	}
	iree, err := FindIREE(o)
	if err != nil {
		return "", err
	}
	if iree.ONNX != "" {
		return iree.ONNX, nil
	}
	c := onnxComponent()
	folder, m, err := c.installed(o, "package "+onnxPackage)
	if err != nil {
		return "", err
	}
	if !samePython(m.Python, iree.Python) {
		return "", fmt.Errorf("%s holds packages for Python %s, and IREE's is %s: \"zonemark setup --remove %s\" and then "+
			"\"zonemark setup %s\" installs those that fit", folder, m.Python, iree.Python, c.Name, c.Name)
	}
	return onnxSite(folder)
}

// samePython reports whether compiled packages of one version of Python fit another.
func samePython(a, b string) bool {
	majorA, minorA, okA := python.Minor(a)
	majorB, minorB, okB := python.Minor(b)
	return okA && okB && majorA == majorB && minorA == minorB
}

// InstallONNX finds the package as FindONNX does, and installs it into zonemark's cache if it is not there, and IREE if
// that is not there. An interrupted installation continues.
func InstallONNX(ctx context.Context, o Options) (string, error) {
	found, err := findOrInstallONNX(ctx, o)
	return found.Place, err
}

func findOrInstallONNX(ctx context.Context, o Options) (Found, error) {
	if o.getenv(ONNXVariable) == "" && !o.FindOnly {
		if _, err := InstallIREE(ctx, o); err != nil {
			return Found{}, err
		}
	}
	return onnxComponent().findOrInstall(ctx, o)
}

// onnxWheels has the package and those that it needs. The sizes are those on Linux, x86-64, Python 3.11; other platforms
// differ by a few megabytes.
func onnxWheels() wheels {
	return wheels{
		names: onnxPackage + " " + onnxVersion, requirements: onnxRequirements,
		downloadBytes: 10_000_000, diskBytes: 53_000_000,
		yourself: fmt.Sprintf("or install %s into an environment of your own that holds IREE", onnxPackage),
	}
}

// onnxSite returns the folder of the packages that are installed in a component's folder.
func onnxSite(folder string) (string, error) {
	pattern := filepath.Join(folder, environmentFolder, "lib", "python*", "site-packages", onnxPackage)
	if filepath.Base(filepath.Dir(python.Of("x"))) == "Scripts" { // Windows
		pattern = filepath.Join(folder, environmentFolder, "Lib", "site-packages", onnxPackage)
	}
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		return "", errors.Join(fmt.Errorf("%s holds the package %s %d times; \"zonemark setup --remove %s\" removes it, to "+
			"install it anew", folder, onnxPackage, len(found), onnxComponent().Name), err)
	}
	return filepath.Dir(found[0]), nil
}

// installONNX installs the packages with IREE's interpreter, whose compiled parts must fit them.
func installONNX(ctx context.Context, w *Work) (Manifest, error) {
	iree, err := InstallIREE(ctx, w.Options)
	if err != nil {
		return Manifest{}, err
	}
	base, err := python.Probe(iree.Interpreter)
	if err != nil {
		return Manifest{}, err
	}
	if reason := base.Unfit(); reason != "" {
		return Manifest{}, fmt.Errorf("%s %s", base.Executable, reason)
	}
	artifacts, err := onnxWheels().install(ctx, w, base)
	if err != nil {
		return Manifest{}, err
	}
	_, err = onnxSite(w.Folder)
	return Manifest{Python: base.Version, Artifacts: artifacts}, err
}

// brokenONNX returns what is missing of the packages that were installed; "" if nothing is.
func brokenONNX(folder string, _ Manifest) string {
	site, err := onnxSite(folder)
	if err != nil {
		return err.Error()
	}
	return brokenEnvironment(folder, site)
}

// existingONNX returns the package of the user's that FindONNX would use, if any.
func (o Options) existingONNX([]string) []Status {
	site, err := FindONNX(o)
	managed := onnxComponent().inCache(o, site)
	return existingStatus(Status{Name: onnxComponent().Name, Version: "?", Folder: site}, managed, err)
}
