package runtimes

import (
	"context"
	"fmt"

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
		path, err := namedFile(name, "Tenstorrent's libttsim.so")
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", from, name, err)
		}
		inv.SetOption(ttsim.OptionSimulator, path)
	}
	return nil, nil
}
