package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/executor/ttsim"
)

// provideSimulator checks the simulator of invocations that need one, so that a wrong path is found before anything
// runs. It cannot be installed, since only Tenstorrent gives it out.
func provideSimulator(_ context.Context, r Request) ([]string, error) {
	for _, inv := range r.Invocations {
		name, from := inv.Artifact.Options[ttsim.OptionSimulator], "--"+ttsim.OptionSimulator
		if name == "" {
			name, from = r.Setup.Variables.Lookup(ttsim.SimulatorVariable), "$"+ttsim.SimulatorVariable
		}
		if name == "" {
			continue // the executor reports it, for these invocations only
		}
		path, err := simulatorFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", from, name, err)
		}
		inv.SetOption(ttsim.OptionSimulator, path)
	}
	return nil, nil
}

// simulatorFile returns the absolute path of a simulator.
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
