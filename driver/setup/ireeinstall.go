package setup

import (
	"context"
	"fmt"

	"zonemark/driver/setup/python"
)

// The sizes of the pinned wheels on Linux, x86-64, Python 3.11. Other platforms differ by a few megabytes.
const (
	ireeDownloadBytes = 125_000_000
	ireeDiskBytes     = 590_000_000
)

func ireeComponent() Component {
	return Component{
		Name:    "iree",
		Version: ireeVersion,
		Summary: "IREE's compiler and runtime, in a private Python environment",
		Plan: fmt.Sprintf("installing %s %s and %s %s (about %d MB to download, %d MB on disk)",
			ireeRuntime, ireeVersion, ireeCompiler, ireeVersion, ireeDownloadBytes/1_000_000, ireeDiskBytes/1_000_000),
		Install: installIREE,
		Broken:  brokenIREE,
		Find: func(o Options) (Found, error) {
			found, err := FindIREE(o)
			return found.found(), err
		},
		FindOrInstall: func(ctx context.Context, o Options) (Found, error) {
			found, err := InstallIREE(ctx, o)
			return found.found(), err
		},
		Existing: Options.existingIREE,
		Expected: true,
		Help: Help{
			Example: "what \"run\" does on first use of an IREE module",
			Places:  "IREE",
			Own: "A Python environment of your own that holds IREE is used instead if --python or $" + PythonVariable +
				" names it, or if it is activated ($VIRTUAL_ENV).",
		},
	}
}

// found returns the environment as a row of the table of components.
func (i IREE) found() Found {
	f := Found{Version: i.Version, Place: i.Interpreter, Environment: i.Environment()}
	if i.NoLibPython != "" {
		f.Notes = []string{i.NoLibPython}
	}
	return f
}

func installIREE(ctx context.Context, w *Work) (Manifest, error) {
	m, found, err := ireeEnvironment().install(ctx, w, wheels{
		requirements: ireeRequirements, downloadBytes: ireeDownloadBytes, diskBytes: ireeDiskBytes,
	}, python.Newest)
	if err == nil && found.LibPython == "" {
		w.Options.say("%s", found.NoLibPython)
	}
	m.IREE = found
	return m, err
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
