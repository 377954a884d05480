package runtimes

import (
	"zonemark/executor/iree"
	"zonemark/executor/sandbox"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// Files of devices by which drivers are reached from programs, as patterns. Files that reset or configure a device are
// not among them, such as nvidia-cap1; the others of these are instances of a divided device.
func nvidiaFiles() []string {
	return []string{
		"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
		"/dev/nvidia-caps/nvidia-cap[2-9]*", "/dev/nvidia-caps/nvidia-cap1[0-9]*",
	}
}

func amdFiles() []string         { return append([]string{"/dev/kfd"}, renderFiles()...) }
func renderFiles() []string      { return []string{"/dev/dri/renderD*"} }
func tenstorrentFiles() []string { return []string{"/dev/tenstorrent/*"} }

// Confine completes the limits of an invocation by the profile of the sandbox, unless the user has chosen one, and by
// the patterns of the files of the devices that it uses. Its options are complete before.
func (t Table) Confine(inv *invocations.Invocation) {
	l := &inv.Limits
	l.Devices, l.PrintsErrors = nil, false
	row := t.Lookup(inv.Runtime)
	if row.Devices == nil {
		return
	}
	patterns, driver := row.Devices(inv)
	l.PrintsErrors = driver
	if driver && l.Profile == "" {
		l.Profile = string(sandbox.Device)
	}
	if l.Profile != string(sandbox.Device) {
		return
	}
	l.Devices = patterns
}

// ireeDevices returns the files of the device that an invocation asks for. Vulkan runs on every maker's.
func ireeDevices(inv *invocations.Invocation) (patterns []string, driver bool) {
	switch iree.Driver(inv.Artifact.Options) {
	case "cuda":
		patterns = nvidiaFiles()
	case "hip", "amdgpu":
		patterns = amdFiles()
	case "vulkan":
		patterns = append(renderFiles(), nvidiaFiles()...)
	}
	return patterns, iree.OnDevice(inv.Artifact.Options)
}

// pluginDevices returns the files of the devices that a PJRT plugin may use. What a plugin is for is known of some
// only.
func pluginDevices(inv *invocations.Invocation) (patterns []string, driver bool) {
	switch inv.Artifact.Options[tt.OptionPlugin] {
	case tt.PluginCPU:
		return nil, true
	case "", tt.PluginTT:
		return tenstorrentFiles(), true
	}
	return append(append(tenstorrentFiles(), nvidiaFiles()...), amdFiles()...), true
}
