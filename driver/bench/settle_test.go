package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func given(flags ...string) map[string]bool {
	set := map[string]bool{}
	for _, f := range flags {
		set[f] = true
	}
	return set
}

func cpuDevice() Device {
	return Device{Plugin: "cpu.so", Platform: "cpu", Kind: "cpu", Chips: 1, Available: 4}
}
func ttDevice() Device {
	return Device{Plugin: "tt.so", Platform: "tt", Kind: "wormhole_b0", Chips: 2, Available: 2}
}

// Every flag is refused, applied, or recorded as not applied with a reason.
func TestSettle(t *testing.T) {
	name := func(s string) *string { return &s }
	for _, c := range []struct {
		text    string
		flags   []string
		set     func(o *Options)
		device  Device
		dtype   string
		emulate string
		options string // of the compiler
		not     string // applied: the flag
		why     string
		refused string
	}{
		{text: "nothing on the CPU", device: cpuDevice(), dtype: "float32", not: "dataformat",
			why: "the old default is Bfp8_b"},
		{text: "nothing on tt", device: ttDevice(), dtype: "bfloat16", options: "enable_bfp8_conversion=true",
			not: "math_fidelity", why: "not given"},
		{text: "Fp16", flags: []string{"dataformat"}, set: func(o *Options) { o.DataFormat = "Fp16" },
			device: cpuDevice(), dtype: "float16", not: "math_fidelity", why: "matrix units"},
		{text: "Fp16_b", flags: []string{"dataformat"}, set: func(o *Options) { o.DataFormat = "Fp16_b" },
			device: cpuDevice(), dtype: "bfloat16"},
		{text: "Bfp8_b on the CPU", flags: []string{"dataformat"}, device: cpuDevice(),
			refused: "--dataformat Bfp8_b: cpu has no block formats; --emulate-formats"},
		{text: "Bfp4 on tt", flags: []string{"dataformat"}, set: func(o *Options) { o.DataFormat = "Bfp4" },
			device: ttDevice(), refused: "converts to Bfp8_b and no other"},
		{text: "emulated", flags: []string{"dataformat"},
			set: func(o *Options) { o.DataFormat, o.EmulateFormats = "Bfp4", true }, device: cpuDevice(),
			dtype: "float32", emulate: "Bfp4"},
		{text: "emulated by default", set: func(o *Options) { o.EmulateFormats = true }, device: cpuDevice(),
			dtype: "float32", emulate: "Bfp8_b"},
		{text: "emulated without need", flags: []string{"dataformat"},
			set: func(o *Options) { o.DataFormat, o.EmulateFormats = "Fp32", true }, device: cpuDevice(),
			dtype: "float32", not: "emulate_formats", why: "no block format"},
		{text: "opt on the CPU", flags: []string{"backend_opt_level"}, device: cpuDevice(), dtype: "float32",
			options: "xla_backend_optimization_level=3"},
		{text: "opt and fidelity on tt", flags: []string{"backend_opt_level", "math_fidelity", "dataformat"},
			set:    func(o *Options) { o.MathFidelity, o.BackendOptLevel, o.DataFormat = "HiFi4", 3, "Fp32" },
			device: ttDevice(), dtype: "float32",
			options: "math_fidelity=hifi4 optimization_level=2"},
		{text: "opt elsewhere", flags: []string{"backend_opt_level"}, device: Device{Platform: "gpu", Chips: 1},
			dtype: "float32", not: "backend_opt_level", why: "gpu has no such option"},
		{text: "arch", set: func(o *Options) { o.Arch = "grayskull" }, device: ttDevice(), dtype: "bfloat16",
			options: "enable_bfp8_conversion=true", not: "arch", why: "wormhole_b0"},
		{text: "device", set: func(o *Options) { o.Device = name("silicon") }, device: cpuDevice(), dtype: "float32",
			not: "device", why: "--plugin chooses"},
		{text: "device configuration", set: func(o *Options) { o.DeviceConfig = name("wh_n150") }, device: cpuDevice(),
			dtype: "float32", not: "device_config", why: "--chips choose"},
		{text: "galaxy", set: func(o *Options) { o.Galaxy = true }, device: cpuDevice(), dtype: "float32",
			not: "galaxy", why: "1 of 4 chips"},
		{text: "parameters", set: func(o *Options) { o.RuntimeParams = name("x.yaml") }, device: cpuDevice(),
			dtype: "float32", not: "runtime_params_yaml", why: "asks the device"},
		{text: "microbatch count", set: func(o *Options) { o.MicrobatchCount = 5 }, device: cpuDevice(),
			dtype: "float32", not: "microbatch_count", why: "one by one"},
		{text: "microbatch count of no loop", set: func(o *Options) { o.MicrobatchCount = 3 }, device: cpuDevice(),
			refused: "does not divide the loop_count of 5 (5 for each of 1 chips)"},
		{text: "too often", set: func(o *Options) { o.Repetitions = 10_000 },
			device: Device{Platform: "cpu", Chips: 100}, refused: "more than 1000000 executions"},
		{text: "recompute", set: func(o *Options) { o.Recompute = true }, device: cpuDevice(), dtype: "float32",
			not: "recompute", why: "one program"},
		{text: "transpose", set: func(o *Options) { o.AutoTranspose = true }, device: cpuDevice(), dtype: "float32",
			not: "auto_transpose", why: "grid of cores"},
		{text: "balancer", flags: []string{"balancer_policy"}, device: cpuDevice(), dtype: "float32",
			not: "balancer_policy", why: "grid of cores"},
	} {
		o := DefaultOptions()
		o.Given = given(c.flags...)
		if c.set != nil {
			c.set(&o)
		}
		if err := o.Check(); err != nil {
			t.Errorf("%s: refused before the device is known: %v", c.text, err)
		}
		got, err := o.Settle(c.device)
		if c.refused != "" {
			var mistake *Error
			if !errors.As(err, &mistake) || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: error %v, want %q in it", c.text, err, c.refused)
			}
			continue
		}
		if err != nil || got.DType != c.dtype || got.EmulatedFormat != c.emulate ||
			strings.Join(got.CompileOptions, " ") != c.options {
			t.Errorf("%s: %+v, error %v", c.text, got, err)
		}
		if c.not != "" && !strings.Contains(got.NotApplied[c.not], c.why) {
			t.Errorf("%s: not applied %q, want %s: %s", c.text, got.NotApplied, c.not, c.why)
		}
		if o.LoopCount != 5*int64(c.device.Chips) || o.Chips != c.device.Chips {
			t.Errorf("%s: %d loops on %d chips", c.text, o.LoopCount, o.Chips)
		}
	}
}

func TestAsked(t *testing.T) {
	o := DefaultOptions()
	o.Given = given("math_fidelity", "training", "layers")
	got := o.Asked(map[string]string{"dataformat": "a", "math_fidelity": "b", "layers": "c"})
	if !slices.Equal(got, []string{"layers", "math_fidelity"}) {
		t.Errorf("%q", got)
	}
}

func TestCheck(t *testing.T) {
	name := func(s string) *string { return &s }
	for want, set := range map[string]func(o *Options){
		"--dataformat fp32: want one of Fp32, Fp16":   func(o *Options) { o.DataFormat = "fp32" },
		"--math_fidelity HiFi1: want one of LoFi":     func(o *Options) { o.MathFidelity = "HiFi1" },
		"--trace much: want one of none, light":       func(o *Options) { o.Trace = "much" },
		"--arch blackhole: want one of grayskull":     func(o *Options) { o.Arch = "blackhole" },
		"--device-config x: want one of galaxy":       func(o *Options) { o.DeviceConfig = name("x") },
		"--balancer-policy x: want one of default":    func(o *Options) { o.BalancerPolicy = "x" },
		"--backend_opt_level 5: want 0 to 4":          func(o *Options) { o.BackendOptLevel = 5 },
		"--chips -1: want 0 to 4096":                  func(o *Options) { o.Chips = -1 },
		"--loop_count -1: want 0":                     func(o *Options) { o.LoopCount = -1 },
		"--microbatch -4: want 0":                     func(o *Options) { o.Microbatch = -4 },
		"--layers -1: want 0":                         func(o *Options) { o.Layers = -1 },
		"--repetitions 0: want 1":                     func(o *Options) { o.Repetitions = 0 },
		"more than 1000000 executions":                func(o *Options) { o.LoopCount, o.Repetitions = 1000, 1001 },
		"--disable_output 2: want 0 to 1":             func(o *Options) { o.DisableOutput = 2 },
		"--microbatch_count 3 does not divide":        func(o *Options) { o.MicrobatchCount, o.LoopCount = 3, 10 },
		"--load_tti a.tti: a TTI is a compiled image": func(o *Options) { o.LoadTTI = "a.tti" },
		"--save_tti a.tti: a TTI is a compiled image": func(o *Options) { o.SaveTTI = "a.tti" },
		"--parallel_tti d: a TTI is a compiled image": func(o *Options) { o.ParallelTTI = "d" },
		"--device model: PyBuda's model":              func(o *Options) { o.Device = name("model") },
		"--device golden is the CPU, and --plugin tt": func(o *Options) { o.Device, o.Plugin = name("golden"), "tt" },
		"a model is trained or generates":             func(o *Options) { o.Training, o.Generative = true, true },
		`--env "=1": want NAME`:                       func(o *Options) { o.Env = "=1" },
	} {
		o := DefaultOptions()
		set(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	o := DefaultOptions()
	o.Env, o.Device = "A  B=2 C=", name("golden")
	if err := o.Check(); err != nil || o.PluginFor() != "cpu" {
		t.Errorf("error %v, plugin %q", err, o.PluginFor())
	}
	if list, err := o.Variables(); err != nil || !slices.Equal(list, []string{"A=1", "B=2", "C="}) {
		t.Errorf("%q, %v", list, err)
	}
}
