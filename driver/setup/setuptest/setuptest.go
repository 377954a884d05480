// Package setuptest finds the installed runtimes for tests, as the program does: those that the variables name, else
// those that "zonemark setup" has installed into the user's cache. Tests of any package may import it; the program must
// not. A test that asks for a runtime which is not there is skipped; under CI=true it fails. Program builds the program
// for tests.
package setuptest

import (
	"os/exec"
	"strings"
	"sync"
	"testing"

	"zonemark/driver/setup"
	"zonemark/invocations/environ"
	"zonemark/invocations/testneeds"
)

// found holds what was found of each component on this machine. The search starts when a test asks for the first time,
// and happens only once.
var found = struct {
	iree    func() (setup.IREE, error)
	capi    func() (string, error)
	onnx    func() (string, error)
	pjrtCPU func() (string, error)
	models  func() (setup.Models, error)
	halide  func() (setup.Halide, error)
}{
	sync.OnceValues(func() (setup.IREE, error) { return setup.FindIREE(options()) }),
	sync.OnceValues(func() (string, error) { return setup.FindCAPI(options()) }),
	sync.OnceValues(func() (string, error) { return setup.FindONNX(options()) }),
	sync.OnceValues(func() (string, error) { return setup.FindPJRTCPU(options()) }),
	sync.OnceValues(func() (setup.Models, error) { return setup.FindModels(options()) }),
	sync.OnceValues(func() (setup.Halide, error) { return setup.FindHalide(options()) }),
}

func options() setup.Options { return setup.Options{Variables: environ.OfProcess()} }

// IREE returns IREE's Python packages.
func IREE(t testing.TB) setup.IREE {
	t.Helper()
	iree, err := found.iree()
	testneeds.Missing(t, err)
	return iree
}

// CAPI returns the path of IREE's C runtime. Continuous integration may do without it on a machine that cannot build
// it.
func CAPI(t testing.TB) string {
	t.Helper()
	path, err := found.capi()
	if err != nil && !buildsCAPI() {
		t.Skip(err)
	}
	testneeds.Missing(t, err)
	return path
}

// buildsCAPI reports whether the machine has the tools to build IREE's C runtime.
func buildsCAPI() bool {
	_, noCargo := exec.LookPath("cargo")
	_, noCMake := exec.LookPath("cmake")
	return noCargo == nil && noCMake == nil
}

// ONNX returns the interpreter that imports ONNX models, and the folder of the package onnx.
func ONNX(t testing.TB) (interpreter, site string) {
	t.Helper()
	site, err := found.onnx()
	testneeds.Missing(t, err)
	return IREE(t).Interpreter, site
}

// PJRTCPU returns the path of XLA's PJRT plugin for the CPU.
func PJRTCPU(t testing.TB) string {
	t.Helper()
	path, err := found.pjrtCPU()
	testneeds.Missing(t, err)
	return path
}

// Models returns the Python environment with JAX and Keras.
func Models(t testing.TB) setup.Models {
	t.Helper()
	models, err := found.models()
	testneeds.Missing(t, err)
	return models
}

// Environment returns the variables, NAME=VALUE, that tell executors about all runtimes on this machine. A missing
// runtime has no variable.
func Environment() []string {
	var list []string
	add := func(name, value string) {
		if value != "" {
			list = append(list, name+"="+value)
		}
	}
	if iree, err := found.iree(); err == nil {
		for _, entry := range iree.Environment() {
			name, value, _ := strings.Cut(entry, "=")
			add(name, value)
		}
	} else if path, err := found.capi(); err == nil {
		add(setup.CAPIVariable, path)
	}
	if site, err := found.onnx(); err == nil {
		add(setup.ONNXVariable, site)
	}
	if path, err := found.pjrtCPU(); err == nil {
		add(setup.PJRTCPUVariable, path)
	}
	if models, err := found.models(); err == nil {
		add(setup.ModelsPythonVariable, models.Interpreter)
	}
	if halide, err := found.halide(); err == nil {
		list = append(list, halide.Environment()...)
	}
	return list
}

// Getenv looks up a variable as an executor sees it that the program starts: in Environment, else in the environment of
// the process.
func Getenv(name string) string {
	for _, entry := range Environment() {
		if value, ours := strings.CutPrefix(entry, name+"="); ours {
			return value
		}
	}
	return environ.OfProcess().Lookup(name)
}
