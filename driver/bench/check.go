package bench

import (
	"slices"
	"strings"
)

const (
	maxOptLevel    = 4
	maxChips       = 1 << 12
	maxLoops       = 1_000_000 // each leaves its time in the record
	maxRepetitions = 10_000
	maxLayers      = 1 << 16
	maxMicrobatch  = 1 << 24
)

// Check returns an error for flags that no device can accept: values out of range, combinations that contradict each
// other, and options for PyBuda's own files.
func (o *Options) Check() error {
	for _, choice := range []struct {
		flag, value string
		values      []string
		emptyToo    bool
	}{
		{"--dataformat", o.DataFormat, DataFormats(), false},
		{"--math_fidelity", o.MathFidelity, MathFidelities(), false},
		{"--trace", o.Trace, TraceLevels(), false},
		{"--balancer-policy", o.BalancerPolicy, BalancerPolicies(), false},
		{"--arch", o.Arch, Architectures(), true},
		{"--device-config", text(o.DeviceConfig), DeviceConfigs(), true},
	} {
		if !slices.Contains(choice.values, choice.value) && (choice.value != "" || !choice.emptyToo) {
			return refuse("%s %s: want one of %s", choice.flag, choice.value, strings.Join(choice.values, ", "))
		}
	}
	for _, number := range []struct {
		flag              string
		value, least, top int64
	}{
		{"--backend_opt_level", int64(o.BackendOptLevel), 0, maxOptLevel},
		{"--chips", int64(o.Chips), 0, maxChips},
		{"--loop_count", o.LoopCount, 0, maxLoops},
		{"--microbatch_count", o.MicrobatchCount, 1, maxLoops},
		{"--microbatch", o.Microbatch, 0, maxMicrobatch},
		{"--layers", int64(o.Layers), 0, maxLayers},
		{"--repetitions", o.Repetitions, 1, maxRepetitions},
		{"--disable_output", int64(o.DisableOutput), 0, 1},
	} {
		if number.value < number.least || number.value > number.top {
			return refuse("%s %d: want %d to %d", number.flag, number.value, number.least, number.top)
		}
	}
	return o.checkTogether()
}

// checkTogether checks the flags that depend on each other.
func (o *Options) checkTogether() error {
	for flag, value := range map[string]string{
		"--load_tti":     o.LoadTTI,
		"--save_tti":     o.SaveTTI,
		"--parallel_tti": o.ParallelTTI,
	} {
		if value != "" {
			return refuse("%s %s: a TTI is a compiled image of PyBuda's, which zonemark neither reads nor writes; "+
				"leave it out: exports are cached by themselves", flag, value)
		}
	}
	switch device := text(o.Device); {
	case device == deviceModel:
		return refuse("--device model: PyBuda's model of the hardware is not part of zonemark; " +
			"for kernels there is Tenstorrent's simulator (zonemark run --runtime ttsim)")
	case device == deviceGolden && o.Plugin != "" && o.Plugin != "cpu":
		return refuse("--device golden is the CPU, and --plugin %s is not; give one of them", o.Plugin)
	case o.Training && o.Generative:
		return refuse("--training and --generative: a model is trained or generates; give one of them")
	case o.LoopCount > 0 && o.LoopCount%o.MicrobatchCount != 0:
		return refuse("--microbatch_count %d does not divide --loop_count %d", o.MicrobatchCount, o.LoopCount)
	}
	if err := o.checkLoops(); err != nil {
		return err
	}
	_, err := o.Variables()
	return err
}

// checkLoops returns an error if too many executions would be timed.
func (o *Options) checkLoops() error {
	if o.LoopCount*o.Repetitions > maxLoops {
		return refuse("--loop_count %d and --repetitions %d: together they are more than %d executions, "+
			"each of which leaves its time in the record", o.LoopCount, o.Repetitions, maxLoops)
	}
	return nil
}

// Variables returns the environment variables of --env as NAME=VALUE entries. A name alone stands for NAME=1.
func (o *Options) Variables() ([]string, error) {
	var list []string
	for entry := range strings.FieldsSeq(o.Env) {
		name, _, hasValue := strings.Cut(entry, "=")
		if name == "" || strings.ContainsRune(entry, 0) {
			return nil, refuse("--env %q: want NAME or NAME=VALUE, separated by spaces", o.Env)
		}
		if !hasValue {
			entry += "=1"
		}
		list = append(list, entry)
	}
	return list, nil
}

// PluginFor returns the plugin to use: the value of --plugin, or the one that --device implies.
func (o *Options) PluginFor() string {
	if o.Plugin == "" && text(o.Device) == deviceGolden {
		return "cpu"
	}
	return o.Plugin
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
