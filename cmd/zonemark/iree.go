package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/setup"
	"zonemark/invocations"
)

const ireeRuntime = "iree"

// provideIREE finds IREE for the invocations that need it, installs it where it is missing, and tells executors by the environment, which they inherit.
func provideIREE(ctx context.Context, s cli.Streams, quiet bool, python string, requests []invocations.Invocation) error {
	if !slices.ContainsFunc(requests, func(inv invocations.Invocation) bool { return inv.Runtime == ireeRuntime }) {
		return nil
	}
	progress := newSetupProgress(s, quiet)
	defer progress.line.Clear()
	o := progress.options()
	o.Python = python
	found, err := setup.FindIREE(o)
	var none *setup.NotInstalledError
	if errors.As(err, &none) {
		if !slices.ContainsFunc(requests, needsWheels) {
			if path, err := setup.FindCAPI(o); err == nil {
				return os.Setenv(setup.CAPIVariable, path)
			}
			return nil // modules that carry what their dispatches need run without any runtime
		}
		found, err = setup.InstallIREE(ctx, o)
	}
	if err != nil {
		return err
	}
	return tellIREE(found)
}

// findIREE tells executors of the IREE that is installed, so that they describe modules for the runtime that would run them. Installs
// nothing, since a compiled module can be read without any runtime.
func findIREE(s cli.Streams, quiet bool, python string) error {
	progress := newSetupProgress(s, quiet)
	defer progress.line.Clear()
	o := progress.options()
	o.Python = python
	found, err := setup.FindIREE(o)
	var none *setup.NotInstalledError
	if !errors.As(err, &none) {
		if err != nil {
			return err
		}
		return tellIREE(found)
	}
	if path, err := setup.FindCAPI(o); err == nil {
		return os.Setenv(setup.CAPIVariable, path)
	}
	return nil
}

// tellIREE tells executors by the environment, which they inherit, where the parts of IREE are.
func tellIREE(found setup.IREE) error {
	for _, variable := range found.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("environment of executors: %w", err)
		}
	}
	return nil
}

// needsWheels says whether an invocation cannot do without IREE's Python packages: sources must be compiled, and a module that names no other way of running
// is run by them.
func needsWheels(inv invocations.Invocation) bool {
	if inv.Runtime != ireeRuntime {
		return false
	}
	compiled := strings.EqualFold(filepath.Ext(inv.Artifact.Path), ".vmfb")
	switch inv.Artifact.Options["provider"] {
	case "", "auto", "python":
		return true
	}
	return !compiled
}

// ireeDispatches says how the dispatches of an IREE invocation can be timed with what is installed.
func ireeDispatches(inv *invocations.Invocation) dispatchSupport {
	provider := inv.Artifact.Options["provider"]
	if provider == modeDispatch { // it is a dispatch itself
		return dispatchSupport{}
	}
	capi := os.Getenv("ZONEMARK_IREE_CAPI") != ""
	return dispatchSupport{
		profiler: capi && provider != "python",
		recorder: os.Getenv("ZONEMARK_IREE_TOOLS") != "",
		tracy:    os.Getenv("ZONEMARK_IREE_SITE") != "" && os.Getenv("ZONEMARK_IREE_LIBPYTHON") != "",
	}
}

// adaptToTracing changes an invocation to what a captured executor loads: the Tracy client is in the Python wheel.
func adaptToTracing(inv *invocations.Invocation) { inv.SetOption("provider", "python") }

// tracedIREE is what makes the wheel take its Tracy-enabled runtime.
func tracedIREE() []string { return []string{"IREE_PY_RUNTIME=tracy"} }

// captureSites are the folders in which a wheel with the capture tool may lie.
func captureSites() []string {
	if site := os.Getenv("ZONEMARK_IREE_SITE"); site != "" {
		return []string{site}
	}
	return nil
}
