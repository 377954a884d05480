package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/setup"
	"zonemark/executor/iree"
	"zonemark/invocations"
)

// compiledModule reports whether a file is a module, which is described without any runtime.
func compiledModule(path string) bool { return strings.EqualFold(filepath.Ext(path), ".vmfb") }

// provideIREE finds IREE, or installs it if an invocation needs it.
func provideIREE(ctx context.Context, r Request) ([]string, error) {
	found, err := setup.FindIREE(r.Setup)
	var none *setup.NotInstalledError
	if errors.As(err, &none) {
		if r.Setup.FindOnly || !slices.ContainsFunc(r.Invocations, needsWheels) {
			if path, err := setup.FindCAPI(r.Setup); err == nil {
				return []string{setup.CAPIVariable + "=" + path}, nil
			}
			return nil, nil // modules that contain all that their dispatches need run without any runtime
		}
		found, err = setup.InstallIREE(ctx, r.Setup)
	}
	if err != nil {
		return nil, err
	}
	entries := found.Environment()
	if !slices.ContainsFunc(r.Invocations, needsImporter) {
		return entries, nil
	}
	site, err := setup.InstallONNX(ctx, r.Setup)
	if r.Setup.FindOnly && errors.As(err, &none) {
		return entries, nil
	}
	return append(entries, setup.ONNXVariable+"="+site), err
}

// loadedOfIREE returns what executors on other hosts load: the C runtime. Python's packages need all of its installation,
// which is not brought anywhere.
func loadedOfIREE(r Request, entries []string) ([]string, error) {
	i := slices.IndexFunc(entries, func(entry string) bool {
		name, path, _ := strings.Cut(entry, "=")
		return name == setup.CAPIVariable && path != ""
	})
	for _, inv := range r.Invocations {
		switch provider := inv.Artifact.Options[iree.OptionProvider]; {
		case provider != iree.ProviderDispatch && i < 0:
			return nil, errors.New(`IREE runs on other hosts by its C runtime only; "zonemark setup iree-capi" installs it here, ` +
				"and it is brought to them")
		case provider == iree.ProviderPython:
			return nil, fmt.Errorf("IREE's Python packages measure on this machine only; leave out --%s %s",
				iree.OptionProvider, provider)
		}
	}
	if i < 0 {
		return nil, nil
	}
	return entries[i : i+1], nil
}

// needsImporter reports whether an artifact is an ONNX model, or a folder that holds one.
func needsImporter(inv *invocations.Invocation) bool {
	if iree.IsONNX(inv.Artifact.Path) {
		return true
	}
	entries, err := os.ReadDir(inv.Artifact.Path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return iree.IsONNX(e.Name()) })
}

// needsWheels reports whether an invocation needs IREE's Python packages: to compile sources, or to run a module for
// which no other provider is named.
func needsWheels(inv *invocations.Invocation) bool {
	switch inv.Artifact.Options[iree.OptionProvider] {
	case "", iree.ProviderAuto, iree.ProviderPython:
		return true
	}
	return !compiledModule(inv.Artifact.Path)
}

// ireeDispatches returns how the dispatches of an invocation can be timed with the installed parts of IREE.
func ireeDispatches(inv *invocations.Invocation, getenv func(string) string) Support {
	provider := inv.Artifact.Options[iree.OptionProvider]
	if provider == iree.ProviderDispatch { // the invocation is a dispatch itself
		return Support{}
	}
	capi := getenv(setup.CAPIVariable) != ""
	options := inv.Artifact.Options
	if iree.OnDevice(options) {
		return Support{
			Recorder: getenv(setup.ToolsVariable) != "" && iree.ProfilesDevice(options),
			Tracy:    getenv(setup.SiteVariable) != "" && getenv(setup.LibPythonVariable) != "",
			Device:   iree.Device(options),
		}
	}
	return Support{
		Profiler: capi && provider != iree.ProviderPython,
		Recorder: getenv(setup.ToolsVariable) != "",
		Tracy:    getenv(setup.SiteVariable) != "" && getenv(setup.LibPythonVariable) != "",
	}
}

// runByWheels lets the Python wheels run an invocation, since they contain the Tracy client.
func runByWheels(inv *invocations.Invocation) {
	inv.SetOption(iree.OptionProvider, iree.ProviderPython)
}

// wheelSites returns the folders in which a wheel with the capture tool may lie.
func wheelSites(getenv func(string) string) []string {
	if site := getenv(setup.SiteVariable); site != "" {
		return []string{site}
	}
	return nil
}

// wheelsForCaptures returns the parts of the wheels, and of their Python, that hold the Tracy client.
func wheelsForCaptures(getenv func(string) string) (Brought, error) {
	needed, err := iree.InstallationFrom(getenv).CapturedFiles()
	if err != nil {
		return Brought{}, err
	}
	b := Brought{Paths: needed.Paths, Folders: needed.Folders, Naming: needed.Naming}
	for _, name := range []string{setup.PythonVariable, setup.LibPythonVariable, setup.SiteVariable, setup.VersionVariable} {
		b.Entries = append(b.Entries, name+"="+getenv(name))
	}
	return b, nil
}
