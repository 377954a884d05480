package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Device describes the hardware that runs the device's module.
type Device struct {
	Plugin    string // file name of the PJRT plugin, or the version of another runtime
	Platform  string // the runtime's name for it: "cpu", "tt", "local-task"
	Kind      string // kind of the chips; may be empty
	Chips     int    // chips that run the program
	Available int    // chips that the plugin has
	// CompilerFlag is the flag that hands options to the runtime's compiler; empty: that of PJRT plugins.
	CompilerFlag string
}

// platformTT is Tenstorrent's platform, the only one whose compiler knows block formats, math fidelity and the like.
// zonemark passes the options of Tenstorrent's PJRT plugin to it.
const (
	platformTT  = "tt"
	platformCPU = "cpu"
)

// Arch returns the name of the architecture for records: the kind of the chips, or the platform if the plugin does not
// report a kind.
func (d Device) Arch() string {
	if d.Kind != "" {
		return d.Kind
	}
	return d.Platform
}

// Choices are the settings that follow from the flags and the device.
type Choices struct {
	DType          string            // NumPy's name of the element type of the export
	EmulatedFormat string            // block format that the exported program rounds to; may be empty
	CompileOptions []string          // for the plugin, NAME=VALUE each
	NotApplied     map[string]string // why a flag has no effect, by the flag's name in records
}

// Settle decides what the flags mean on a device and sets those that were left open: chips, loop_count (5 for each
// chip) and the data format. The flags have passed Check. Settle returns an error for a flag that the device cannot
// honour.
func (o *Options) Settle(d Device) (Choices, error) {
	c := Choices{NotApplied: map[string]string{}}
	o.Chips = d.Chips
	if o.LoopCount == 0 {
		o.LoopCount = loopsForEachChip * int64(d.Chips)
		if o.LoopCount%o.MicrobatchCount != 0 {
			return c, refuse("--microbatch_count %d does not divide the loop_count of %d (%d for each of %d chips); "+
				"give --loop_count", o.MicrobatchCount, o.LoopCount, loopsForEachChip, d.Chips)
		}
	}
	if err := o.checkLoops(); err != nil {
		return c, err
	}
	if err := o.settleFormat(d, &c); err != nil {
		return c, err
	}
	o.settleCompiler(d, &c)
	o.settleHardware(d, &c)
	o.settleOld(&c)
	return c, nil
}

// loopsForEachChip is the default loop_count, as PyBuda's help states it.
const loopsForEachChip = 5

// settleFormat decides on the data format.
func (o *Options) settleFormat(d Device, c *Choices) error {
	if !o.Given["dataformat"] && d.Platform != platformTT && !o.EmulateFormats {
		c.NotApplied["dataformat"] = fmt.Sprintf(
			"the old default is %s, a block format that %s does not have: the model runs in Fp32",
			o.DataFormat, d.Platform)
		o.DataFormat = "Fp32"
	}
	c.DType = nativeElement(o.DataFormat)
	switch {
	case c.DType != "":
		if o.EmulateFormats {
			c.NotApplied["emulate_formats"] = o.DataFormat + " is no block format, and runs as it is"
		}
	case o.EmulateFormats:
		c.DType, c.EmulatedFormat = nativeElement("Fp32"), o.DataFormat
	case d.Platform != platformTT:
		return refuse("--dataformat %s: %s has no block formats; --emulate-formats rounds weights and activations "+
			"to it, which shows its accuracy, not its speed; Fp32, Fp16 and Fp16_b run as they are",
			o.DataFormat, d.Platform)
	case o.DataFormat != "Bfp8_b":
		return refuse("--dataformat %s: the compiler of Tenstorrent's plugin converts to Bfp8_b and "+
			"no other block format; --emulate-formats rounds to it instead", o.DataFormat)
	default: // the compiler converts programs in bfloat16
		c.DType = nativeElement("Fp16_b")
		c.CompileOptions = append(c.CompileOptions, "enable_bfp8_conversion=true")
	}
	return nil
}

// settleCompiler decides on the flags that the device's compiler may know.
func (o *Options) settleCompiler(d Device, c *Choices) {
	switch {
	case d.Platform == platformTT:
		if o.Given["math_fidelity"] {
			c.CompileOptions = append(c.CompileOptions, "math_fidelity="+strings.ToLower(o.MathFidelity))
		} else {
			c.NotApplied["math_fidelity"] = "not given: the compiler of the plugin chooses"
		}
		if o.Given["backend_opt_level"] { // the plugin has levels 0 to 2
			c.CompileOptions = append(c.CompileOptions, fmt.Sprintf("optimization_level=%d", (o.BackendOptLevel+1)/2))
		} else {
			c.NotApplied["backend_opt_level"] = "not given: the default of the plugin's compiler is used"
		}
	default:
		c.NotApplied["math_fidelity"] = fmt.Sprintf("%s multiplies in the precision of the element type; "+
			"math fidelity is a setting of Tenstorrent's matrix units", d.Platform)
		switch {
		case d.Platform != platformCPU:
			c.NotApplied["backend_opt_level"] = d.Platform +
				" has no such option that zonemark knows; " + cmp.Or(d.CompilerFlag, "--compile-option") +
				" gives its compiler what it has"
		case !o.Given["backend_opt_level"]:
			c.NotApplied["backend_opt_level"] = "not given: the default of XLA is used"
		default: // XLA has levels 0 to 3
			c.CompileOptions = append(c.CompileOptions,
				fmt.Sprintf("xla_backend_optimization_level=%d", min(3, o.BackendOptLevel)))
		}
	}
}

// settleHardware decides on the flags that choose hardware. The plugin determines the hardware and reports what it is.
func (o *Options) settleHardware(d Device, c *Choices) {
	has := fmt.Sprintf("%s runs what it has: %s", d.Plugin, d.Arch())
	if o.Arch != "" && o.Arch != d.Arch() {
		c.NotApplied["arch"] = has
	}
	if text(o.Device) == deviceSilicon && d.Platform != platformTT {
		c.NotApplied["device"] = has + "; --plugin chooses"
	}
	if o.DeviceConfig != nil {
		c.NotApplied["device_config"] = has + "; --plugin and --chips choose"
	}
	if o.Galaxy {
		c.NotApplied["galaxy"] = has + fmt.Sprintf(", %d of %d chips; --chips chooses", d.Chips, d.Available)
	}
}

// settleOld decides on the flags that control how PyBuda compiled and ran programs.
func (o *Options) settleOld(c *Choices) {
	if o.RuntimeParams != nil {
		c.NotApplied["runtime_params_yaml"] = "it describes a device to PyBuda's compiler; " +
			"a PJRT plugin asks the device"
	}
	for _, flag := range []struct {
		name string
		on   bool
		why  string
	}{
		{"microbatch_count", o.MicrobatchCount > 1,
			"executions follow each other one by one: there is no larger batch that they could be parts of"},
		{"recompute", o.Recompute,
			"loss and gradients are one program, in which the plugin's compiler decides what is kept"},
		{"auto_transpose", o.AutoTranspose, "placing operations on the grid of cores is the plugin's compiler's work"},
		{"balancer_policy", o.Given["balancer_policy"],
			"placing operations on the grid of cores is the plugin's compiler's work"},
	} {
		if flag.on {
			c.NotApplied[flag.name] = flag.why
		}
	}
}

// Asked returns the flags of notApplied that the command line has, in alphabetical order. The others are PyBuda's
// defaults, which only records mention.
func (o *Options) Asked(notApplied map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(notApplied)), func(name string) bool { return !o.Given[name] })
}
