package tt

import "errors"

// Plugins are the shared libraries of plugins on this machine; an empty path is one that is not there.
type Plugins struct {
	Default string // what is taken when the user names none: a path, or a name
	TT      string // Tenstorrent's
	CPU     string // XLA's for the CPU
}

// PluginsFrom reads them from the environment of an executor, whose variables the driver sets.
func PluginsFrom(getenv func(name string) string) Plugins {
	return Plugins{Default: getenv("ZONEMARK_PJRT_PLUGIN"), TT: getenv("ZONEMARK_PJRT_TT"), CPU: getenv("ZONEMARK_PJRT_CPU")}
}

// The names of plugins that are found without a path: values of OptionPlugin.
const (
	PluginTT  = "tt"  // Tenstorrent's
	PluginCPU = "cpu" // XLA's for the CPU
)

// path is the shared library of the plugin that is named, by name or path; with no name, of the default one, or the first that is there.
func (p Plugins) path(name string) (string, error) {
	if name == "" {
		name = p.Default
	}
	switch {
	case name == "" && p.TT != "", name == PluginTT && p.TT != "":
		return p.TT, nil
	case name == "" && p.CPU != "", name == PluginCPU && p.CPU != "":
		return p.CPU, nil
	case name == PluginTT:
		return "", errors.New("the PJRT plugin of Tenstorrent is not there: install its Python package pjrt-plugin-tt and activate that environment, or name pjrt_plugin_tt.so by --plugin")
	case name == PluginCPU:
		return "", errors.New("XLA's PJRT plugin for the CPU is not installed: run \"zonemark setup pjrt-cpu\"")
	case name == "":
		return "", errors.New("no PJRT plugin is there: name one by --plugin or ZONEMARK_PJRT_PLUGIN, or run \"zonemark setup pjrt-cpu\"")
	}
	return name, nil
}
