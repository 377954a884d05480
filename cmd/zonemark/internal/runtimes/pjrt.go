package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/driver/setup"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// providePlugins finds the PJRT plugins that invocations need, and installs the one for the CPU if it is needed and
// missing. It checks plugins that are named by their paths, so that a wrong one is found before anything runs.
func providePlugins(ctx context.Context, r Request) ([]string, error) {
	wanted := map[string]bool{} // by name; "" stands for any plugin that is installed
	for _, inv := range r.Invocations {
		if err := completeOptionsFile(inv); err != nil {
			return nil, err
		}
		name := inv.Artifact.Options[tt.OptionPlugin]
		if name == "" {
			name = r.Setup.Variables.Lookup(setup.PJRTPluginVariable)
		}
		if name == "" || name == tt.PluginTT || name == tt.PluginCPU {
			wanted[name] = true
			continue
		}
		path, err := namedFile(name, fmt.Sprintf("a PJRT plugin by its path, or one of %s and %s", tt.PluginTT, tt.PluginCPU))
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", tt.OptionPlugin, name, err)
		}
		inv.SetOption(tt.OptionPlugin, path)
	}
	var entries []string
	if wanted[tt.PluginTT] || wanted[""] {
		path, err := setup.FindPJRTTT(r.Setup)
		if err == nil {
			entries = append(entries, setup.PJRTTTVariable+"="+path)
			delete(wanted, "")
		} else if wanted[tt.PluginTT] {
			return nil, err
		}
	}
	if wanted[""] {
		r.say("no Tenstorrent plugin is there and --plugin names no other: XLA's plugin for the CPU is used")
	}
	if !wanted[tt.PluginCPU] && !wanted[""] {
		return entries, nil
	}
	path, err := setup.InstallPJRTCPU(ctx, r.Setup)
	if err != nil {
		return nil, err
	}
	return append(entries, setup.PJRTCPUVariable+"="+path), nil
}

// completeOptionsFile makes the path of the compiler's options absolute.
func completeOptionsFile(inv *invocations.Invocation) error {
	file := inv.Artifact.Options[tt.OptionFile]
	if file == "" {
		return nil
	}
	path, err := namedFile(file, "a serialized CompileOptionsProto")
	if err != nil {
		return fmt.Errorf("--%s %s: %w", tt.OptionFile, file, err)
	}
	inv.SetOption(tt.OptionFile, path)
	return nil
}

// pluginDispatches returns how the operations of a program can be timed: by the plugin's profiler. Only the executor
// learns whether there is one.
func pluginDispatches(*invocations.Invocation, func(string) string) Support {
	return Support{Profiler: true}
}

// keepCompiled tells executors where compiled programs are stored, and which folder in the scratch folder is for new
// ones.
func keepCompiled(f Folders) (Kept, error) {
	folder, err := f.Cache(filepath.Join("built", tt.CompiledFolder))
	if err != nil {
		return Kept{}, err
	}
	fresh := filepath.Join(f.Scratch, "compiled")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return Kept{}, fmt.Errorf("make a folder for compiled programs: %w", err)
	}
	return Kept{
		Entries: []string{tt.CompiledVariable + "=" + folder, tt.CompiledFreshVariable + "=" + fresh},
		Take:    func() error { return takeCompiled(fresh, folder) },
	}, nil
}

// takeCompiled moves what executors have made from fresh into folder. Native code could write there, too, so incomplete
// files are not moved, and links are not followed.
func takeCompiled(fresh, folder string) error {
	entries, err := os.ReadDir(fresh)
	if err != nil {
		return fmt.Errorf("compiled programs: %w", err)
	}
	var failed error
	for _, e := range entries {
		path := filepath.Join(fresh, e.Name())
		if tt.CheckCompiled(path) != nil {
			continue // it is removed with the scratch folder
		}
		if err := os.Rename(path, filepath.Join(folder, e.Name())); err != nil {
			failed = errors.Join(failed, fmt.Errorf("keep a compiled program: %w", err))
		}
	}
	return failed
}
