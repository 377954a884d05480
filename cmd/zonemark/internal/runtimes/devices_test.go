package runtimes

import (
	"path/filepath"
	"slices"
	"testing"

	"zonemark/executor/hat"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// What runs on the CPU gets no device, and a device gets the files of its makers only.
func TestDevices(t *testing.T) {
	for _, c := range []struct {
		runtime, option, value string
		profile                string
		some, none             string // of the patterns
	}{
		{hat.Name, "", "", "", "", "/dev/kfd"},
		{iree.Name, "", "", "", "", "/dev/nvidiactl"},
		{iree.Name, "device", "local-task", "", "", "/dev/nvidiactl"},
		{iree.Name, "device", "cuda://GPU-1", "device", "/dev/nvidiactl", "/dev/kfd"},
		{iree.Name, "device", "hip", "device", "/dev/kfd", "/dev/nvidiactl"},
		{iree.Name, "device", "vulkan", "device", "/dev/dri/renderD*", "/dev/kfd"},
		{tt.Name, tt.OptionPlugin, tt.PluginCPU, "device", "", "/dev/tenstorrent/*"},
		{tt.Name, "", "", "device", "/dev/tenstorrent/*", "/dev/kfd"},
		{tt.Name, tt.OptionPlugin, "/opt/plugin.so", "device", "/dev/kfd", ""},
	} {
		inv := &invocations.Invocation{Runtime: c.runtime}
		if c.option != "" {
			inv.SetOption(c.option, c.value)
		}
		var patterns []string
		row := All().Lookup(c.runtime)
		if row.Devices != nil {
			patterns, _ = row.Devices(inv)
		}
		if c.some != "" && !slices.Contains(patterns, c.some) || c.none != "" && slices.Contains(patterns, c.none) {
			t.Errorf("%s %s=%s: %q", c.runtime, c.option, c.value, patterns)
		}
		for _, pattern := range patterns {
			if _, err := filepath.Match(pattern, ""); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		}
		if All().Confine(inv); inv.Limits.Profile != c.profile {
			t.Errorf("%s %s=%s: profile %q", c.runtime, c.option, c.value, inv.Limits.Profile)
		}
		chosen := &invocations.Invocation{Runtime: c.runtime, Artifact: inv.Artifact}
		chosen.Limits.Profile = "plain"
		if All().Confine(chosen); chosen.Limits.Profile != "plain" || chosen.Limits.Devices != nil {
			t.Errorf("%s %s=%s, plain was chosen: %+v", c.runtime, c.option, c.value, chosen.Limits)
		}
	}
}
