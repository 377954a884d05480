package setup

import (
	"context"
	"errors"
	"fmt"
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
			Own: "an environment of your own that holds IREE is used instead when --python or $" + PythonVariable +
				" names it, or when it is activated ($VIRTUAL_ENV)",
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

// InstallIREE finds IREE as FindIREE does and installs it into zonemark's cache if it is not there. If o.Python names
// an interpreter without IREE, the environment is made with that interpreter. An interrupted installation continues. If
// another zonemark is installing, InstallIREE waits for it. If the context ends or anything fails, nothing is left that
// looks installed.
func InstallIREE(ctx context.Context, o Options) (IREE, error) {
	if o.Python != "" {
		base, err := namedPython(o.Python, "--python")
		if err != nil {
			return IREE{}, err
		}
		if base.Runtime != nil {
			return FindIREE(o)
		}
	} else {
		found, err := FindIREE(o)
		var none *NotInstalledError
		if !errors.As(err, &none) {
			return found, err
		}
	}
	if _, err := ensure(ctx, o, ireeComponent()); err != nil {
		return IREE{}, err
	}
	o.Python = "" // it has served its purpose
	return FindIREE(o)
}

func installIREE(ctx context.Context, w *Work) (Manifest, error) {
	set := wheels{
		requirements:  ireeRequirements,
		downloadBytes: ireeDownloadBytes,
		diskBytes:     ireeDiskBytes,
		yourself: fmt.Sprintf(
			"or install %s into a Python environment of your own and name it with --python or $%s",
			ireePins,
			PythonVariable,
		),
	}
	artifacts, installed, err := set.installAndProbe(ctx, w, newestPython)
	if err != nil {
		return Manifest{}, err
	}
	if installed.Runtime == nil {
		return Manifest{}, fmt.Errorf("%s is not in %s, though pip installed it", ireeRuntime, installed.Executable)
	}
	if err := checkIREE(installed); err != nil {
		return Manifest{}, err
	}
	found, err := describeIREE(installed)
	if err != nil {
		return Manifest{}, err
	}
	if found.LibPython == "" {
		w.Options.say("%s", found.NoLibPython)
	}
	return Manifest{Python: installed.Version, Artifacts: artifacts, IREE: &found}, nil
}

// baseFor returns the interpreter to make a private environment with, for packages whose newest wheels are for Python
// 3.newest.
func (o Options) baseFor(newest int) (python, error) {
	if o.Python == "" {
		return findPython(newest)
	}
	base, err := namedPython(o.Python, "--python")
	if err != nil {
		return python{}, err
	}
	if reason := base.unfitFor(newest); reason != "" {
		return python{}, fmt.Errorf("--python: %s %s", base.Executable, reason)
	}
	return base, nil
}
