package tt

import "zonemark/invocations/remedy"

// Plugins holds the paths of the plugins on this machine. An empty path means that the plugin is absent.
type Plugins struct {
	Default string // used if the user names none: a path or a name
	TT      string // Tenstorrent's
	CPU     string // XLA's for the CPU
}

// PluginsFrom reads the plugins from the environment of an executor. The driver sets the variables.
func PluginsFrom(getenv func(name string) string) Plugins {
	return Plugins{
		Default: getenv("ZONEMARK_PJRT_PLUGIN"),
		TT:      getenv("ZONEMARK_PJRT_TT"),
		CPU:     getenv("ZONEMARK_PJRT_CPU"),
	}
}

// These are the names of plugins that are found without a path. They are values of OptionPlugin.
const (
	PluginTT  = "tt"  // Tenstorrent's
	PluginCPU = "cpu" // XLA's for the CPU
)

// installCPU installs XLA's plugin for the CPU.
var installCPU = remedy.Remedy{Kind: remedy.Install, Name: "pjrt-cpu"}

// path returns the shared library of a plugin, given by name or path. Without a name it returns the default plugin, or
// else the first that exists.
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
		return "", remedy.New("the PJRT plugin of Tenstorrent is not there",
			remedy.Remedy{Kind: remedy.Act,
				Value: "install its Python package pjrt-plugin-tt and activate that environment"},
			remedy.Remedy{Kind: remedy.File, Name: OptionPlugin, Value: "pjrt_plugin_tt.so"})
	case name == PluginCPU:
		return "", remedy.New("XLA's PJRT plugin for the CPU is not installed", installCPU)
	case name == "":
		return "", remedy.New("no PJRT plugin is there",
			remedy.Remedy{Kind: remedy.File, Name: OptionPlugin, Value: "one", Variable: "ZONEMARK_PJRT_PLUGIN"},
			installCPU)
	}
	return name, nil
}
