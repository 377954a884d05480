package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/setup"
	"zonemark/invocations"
)

const (
	ttRuntime    = "tt"
	pluginOption = "plugin"
	optionsFile  = "compile-options-file"
	pluginTT     = "tt"
	pluginCPU    = "cpu"
)

// provideRuntimes finds what the invocations need beside zonemark itself; see provideIREE, provideSimulator and providePlugins.
func provideRuntimes(ctx context.Context, s cli.Streams, quiet bool, python string, requests []invocations.Invocation) error {
	if err := provideIREE(ctx, s, quiet, python, requests); err != nil {
		return err
	}
	if err := provideSimulator(requests); err != nil {
		return err
	}
	return providePlugins(ctx, s, quiet, python, requests)
}

// providePlugins finds the PJRT plugins for the invocations that need one, installs the one for the CPU where it is asked for and missing, and tells executors by the
// environment. Plugins that are named by path are looked at here, so that a wrong one is found before anything runs.
func providePlugins(ctx context.Context, s cli.Streams, quiet bool, python string, requests []invocations.Invocation) error {
	wanted := map[string]bool{}
	for i := range requests {
		if requests[i].Runtime != ttRuntime {
			continue
		}
		if file := requests[i].Artifact.Options[optionsFile]; file != "" {
			if _, err := os.Stat(file); err != nil {
				return fmt.Errorf("--%s: %w", optionsFile, err)
			}
			path, err := filepath.Abs(file)
			if err != nil {
				return err
			}
			requests[i].SetOption(optionsFile, path)
		}
		name := requests[i].Artifact.Options[pluginOption]
		if name == "" {
			name = os.Getenv(setup.PJRTPluginVariable)
		}
		if name != "" && name != pluginTT && name != pluginCPU {
			path, err := pluginFile(name)
			if err != nil {
				return err
			}
			requests[i].SetOption(pluginOption, path)
			continue
		}
		wanted[name] = true
	}
	if len(wanted) == 0 {
		return nil
	}
	progress := newSetupProgress(s, quiet)
	defer progress.line.Clear()
	o := progress.options()
	o.Python = python
	if wanted[pluginTT] || wanted[""] {
		path, err := setup.FindPJRTTT(o)
		if err == nil {
			if err := os.Setenv(setup.PJRTTTVariable, path); err != nil {
				return fmt.Errorf("environment of executors: %w", err)
			}
			delete(wanted, "")
		} else if wanted[pluginTT] {
			return err
		}
	}
	if wanted[""] {
		progress.say("no Tenstorrent plugin is there and --plugin names no other: XLA's plugin for the CPU is used")
	}
	if !wanted[pluginCPU] && !wanted[""] {
		return nil
	}
	path, err := setup.InstallPJRTCPU(ctx, o)
	if err != nil {
		return err
	}
	if err := os.Setenv(setup.PJRTCPUVariable, path); err != nil {
		return fmt.Errorf("environment of executors: %w", err)
	}
	return nil
}

// pluginFile is the absolute path of a plugin that is named by path.
func pluginFile(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("--plugin %s: there is no such file; name a PJRT plugin by its path, or one of %s and %s", name, pluginTT, pluginCPU)
	case err != nil:
		return "", fmt.Errorf("--plugin: %w", err)
	case info.IsDir():
		return "", fmt.Errorf("--plugin %s: a folder; name the shared library in it", name)
	}
	return filepath.Abs(name)
}

// pjrtDispatches says how the operations of a program can be timed: by the plugin's profiler, of which only the executor learns whether there is one.
func pjrtDispatches(*invocations.Invocation) dispatchSupport { return dispatchSupport{profiler: true} }
