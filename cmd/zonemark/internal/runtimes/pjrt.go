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
		path, err := pluginFile(name)
		if err != nil {
			return nil, err
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
	_, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--%s %s: there is no such file; name a serialized CompileOptionsProto", tt.OptionFile, file)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", tt.OptionFile, err)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	inv.SetOption(tt.OptionFile, path)
	return nil
}

// pluginFile returns the absolute path of a plugin that is named by path.
func pluginFile(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("--%s %s: there is no such file; name a PJRT plugin by its path, or one of %s and %s",
			tt.OptionPlugin, name, tt.PluginTT, tt.PluginCPU)
	case err != nil:
		return "", fmt.Errorf("--%s: %w", tt.OptionPlugin, err)
	case info.IsDir():
		return "", fmt.Errorf("--%s %s: a folder; name the shared library in it", tt.OptionPlugin, name)
	}
	return filepath.Abs(name)
}

// pluginDispatches returns how the operations of a program can be timed: by the plugin's profiler. Only the executor
// learns whether there is one.
func pluginDispatches(*invocations.Invocation, func(string) string) Support {
	return Support{Profiler: true}
}

// keepCompiled tells executors where compiled programs are stored, and which folder in the scratch folder is for new
// ones.
func keepCompiled(f Folders) (Kept, error) {
	folder, err := f.Cache(filepath.Join("built", "pjrt"))
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
