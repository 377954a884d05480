package tt

import (
	"path/filepath"
	"strconv"
)

// These are the keys of the properties of a call.
const (
	PropertyPlugin   = "plugin"   // file name of the plugin
	PropertyPlatform = "platform" // the plugin's name for its kind of device, "cpu" or "tt"
	// the kind of the first device that runs the program; absent if the plugin does not report it
	PropertyDeviceKind = "device_kind"
	PropertyDevices    = "devices"           // number of devices that run the program
	PropertyAvailable  = "devices_available" // number of devices that the plugin has
	PropertyCompileNS  = "compile_ns"        // wall time of compiling the program, in nanoseconds
	// "1" if a program that had been compiled before was loaded; absent otherwise
	PropertyCached = "compile_cached"
	// floating-point operations of an execution on one device, by the plugin's cost analysis; absent if it has none
	PropertyFLOP  = "plugin_flop"
	PropertyBytes = "plugin_bytes" // bytes that such an execution accesses; absent if the analysis has none
)

// properties returns the contents of the notes in a form for programs.
func (p *program) properties() map[string]string {
	platform, _ := p.client.Platform()
	list := map[string]string{
		PropertyPlugin:    filepath.Base(p.client.path),
		PropertyPlatform:  platform,
		PropertyDevices:   strconv.Itoa(len(p.devices)),
		PropertyAvailable: strconv.Itoa(len(p.client.Devices())),
		PropertyCompileNS: strconv.FormatInt(p.how.compileNS, 10),
	}
	if kind := p.devices[0].Kind; kind != "" {
		list[PropertyDeviceKind] = kind
	}
	if p.how.loadNS > 0 {
		list[PropertyCached] = "1"
	}
	cost := p.executable.Cost()
	for property, key := range map[string]string{PropertyFLOP: "flops", PropertyBytes: "bytes accessed"} {
		if amount := cost[key]; amount > 0 {
			list[property] = strconv.FormatFloat(amount, 'g', -1, 64)
		}
	}
	return list
}
