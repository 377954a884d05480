package iree

import (
	"context"
	"path/filepath"

	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
)

// Installation holds the paths of the parts of IREE that the ways of running a module need. An empty field means that
// the part is not installed.
type Installation struct {
	Python    string // interpreter of the environment that has the wheels
	LibPython string // shared library of that Python
	Site      string // its site-packages folder
	Compile   string // the iree-compile binary
	ONNX      string // folder with the package onnx, by which ONNX models are imported
	Tools     string // folder with iree-run-module, iree-dump-replay, …
	CAPI      string // shared library of the C API, libiree_runtime.so
	Version   string // version of the runtime, "3.13.0"
	Tracy     bool   // whether to use the Tracy-enabled Python runtime

	confine building.Confine // of the programs that read a user's files
}

// InstallationFrom reads an installation from the environment of an executor, whose variables the driver sets.
func InstallationFrom(getenv func(name string) string) Installation {
	return Installation{
		Python:    getenv("ZONEMARK_IREE_PYTHON"),
		LibPython: getenv("ZONEMARK_IREE_LIBPYTHON"),
		Site:      getenv("ZONEMARK_IREE_SITE"),
		Compile:   getenv("ZONEMARK_IREE_COMPILE"),
		ONNX:      getenv("ZONEMARK_IREE_ONNX"),
		Tools:     getenv("ZONEMARK_IREE_TOOLS"),
		CAPI:      getenv("ZONEMARK_IREE_CAPI"),
		Version:   getenv("ZONEMARK_IREE_VERSION"),
		Tracy:     getenv(tracyVariable) == tracyRuntime,
	}
}

// run runs a program of IREE's, which may write to a folder and read the folders of files.
func (in Installation) run(ctx context.Context, p toolchain.Program, folder string, files ...string) (string, error) {
	p.Access = building.Access{Write: []string{folder}}
	for _, path := range files {
		absolute, err := filepath.Abs(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		p.Access.Read = append(p.Access.Read, absolute)
	}
	return p.Run(ctx, in.confine)
}

// The variable by which the wheel chooses its runtime, and the value for the Tracy-enabled one.
const (
	tracyVariable = "IREE_PY_RUNTIME"
	tracyRuntime  = "tracy"
)

// TracyEnvironment returns the NAME=VALUE entries that make the wheel take its Tracy-enabled runtime.
func TracyEnvironment() []string { return []string{tracyVariable + "=" + tracyRuntime} }

const defaultDevice = "local-sync"

// device returns the name of the device that the options ask for.
func device(options map[string]string) string {
	if d := options[optionDevice]; d != "" {
		return d
	}
	return defaultDevice
}
