package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/executor/ttsim"
	"zonemark/invocations"
)

const (
	ttsimRuntime    = "ttsim"
	simulatorOption = "simulator"
)

// provideSimulator looks at the simulator of invocations that need one, so that a wrong path is found before anything runs. It cannot be installed: Tenstorrent gives it out.
func provideSimulator(requests []invocations.Invocation) error {
	for i := range requests {
		if requests[i].Runtime != ttsimRuntime {
			continue
		}
		name, from := requests[i].Artifact.Options[simulatorOption], "--"+simulatorOption
		if name == "" {
			name, from = os.Getenv(ttsim.SimulatorVariable), "$"+ttsim.SimulatorVariable
		}
		if name == "" {
			continue // the executor says so, for these invocations only
		}
		path, err := simulatorFile(name)
		if err != nil {
			return fmt.Errorf("%s %s: %w", from, name, err)
		}
		requests[i].SetOption(simulatorOption, path)
	}
	return nil
}

// simulatorFile is the absolute path of a simulator.
func simulatorFile(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", errors.New("there is no such file; name Tenstorrent's libttsim.so")
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("a folder; name the shared library in it, libttsim.so")
	}
	return filepath.Abs(name)
}
