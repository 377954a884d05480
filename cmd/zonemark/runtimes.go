package main

import (
	"fmt"
	"os"
	"strings"

	"zonemark/executor"
	"zonemark/executor/hat"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/executor/ttsim"
	"zonemark/invocations"
)

// runtimeRow is one runtime and how its artifacts are known.
type runtimeRow struct {
	runtime    executor.Runtime
	recognizes func(path string) bool // looks at the names of the path and, when it is a folder, of the files in it
	pattern    string                 // the same for people
	// dispatches says how the dispatches of an invocation can be timed; nil for a runtime whose functions issue none.
	dispatches func(*invocations.Invocation) dispatchSupport
}

// runtimes is the one list of runtimes.
func runtimes() []runtimeRow {
	return []runtimeRow{
		{runtime: hat.Runtime{}, recognizes: hat.Recognizes, pattern: "*.hat"},
		{runtime: iree.Runtime{Installation: iree.InstallationFrom(os.Getenv)}, recognizes: iree.Recognizes, pattern: "*.vmfb, *.mlir", dispatches: ireeDispatches},
		{runtime: tt.New(tt.PluginsFrom(os.Getenv), tt.CompiledFrom(os.Getenv)), recognizes: tt.Recognizes, pattern: "*.stablehlo", dispatches: pjrtDispatches},
		{runtime: ttsim.New(os.Getenv), recognizes: ttsim.Recognizes, pattern: "*.elf"},
	}
}

// dispatchSupport are the sources that an invocation's dispatches have on this machine.
type dispatchSupport struct{ profiler, tracy bool }

// runtimeOf is the row of a runtime; the zero row for one that is not known.
func runtimeOf(name string) runtimeRow {
	for _, row := range runtimes() {
		if row.runtime.Name() == name {
			return row
		}
	}
	return runtimeRow{}
}

// executorRuntimes is the list as the executor takes it.
func executorRuntimes() (list []executor.Runtime) {
	for _, row := range runtimes() {
		list = append(list, row.runtime)
	}
	return list
}

func runtimeNames() (names []string) {
	for _, row := range runtimes() {
		names = append(names, row.runtime.Name())
	}
	return names
}

// recognize finds the runtime of an artifact by its name, or by the names of the files in it when it is a folder.
func recognize(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: there is no such file or folder", path)
	}
	var known []string
	for _, row := range runtimes() {
		if row.recognizes(path) {
			return row.runtime.Name(), nil
		}
		known = append(known, row.pattern)
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s: this folder holds no artifact (%s)", path, strings.Join(known, ", "))
	}
	return "", fmt.Errorf("%s: not a suite (*.toml) and not an artifact (%s); say --runtime if it has an unusual name", path, strings.Join(known, ", "))
}
