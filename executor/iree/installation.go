package iree

import (
	"fmt"
	"strings"

	"zonemark/executor"
	"zonemark/invocations/spelling"
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

// choose returns the way of running that the options ask for. For auto it is the first of the list that is installed and
// has the driver of the device. A traced run needs a runtime with a Tracy client, which only the Python wheels have.
func (in Installation) choose(options map[string]string) (provider, error) {
	want := options[OptionProvider]
	if want == "" {
		want = ProviderAuto
	}
	if want == ProviderAuto && in.Tracy {
		want = ProviderPython
	}
	var names, why []string
	for _, p := range in.providers() {
		names = append(names, p.name())
		missing := p.missing()
		if missing == nil && (want == p.name() || want == ProviderAuto) {
			missing = p.lacks(driverOf(device(options)))
		}
		switch {
		case want == p.name() && missing != nil:
			return nil, fmt.Errorf("provider %s: %w", want, missing)
		case missing != nil:
			why = append(why, fmt.Sprintf("%s: %v", p.name(), missing))
		case want == p.name() || want == ProviderAuto:
			return p, nil
		}
	}
	if want != ProviderAuto {
		if near := spelling.Suggest(want, append(names, ProviderAuto)); near != "" {
			return nil, fmt.Errorf("no provider %q%s", want, near)
		}
		return nil, fmt.Errorf("no provider %q; there are %s and %s", want, ProviderAuto, strings.Join(names, ", "))
	}
	return nil, &executor.UnsupportedError{
		Reason: fmt.Sprintf("no way of running IREE modules on device %s is there: %s", device(options),
			strings.Join(why, "; ")),
	}
}
