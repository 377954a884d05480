package main

import (
	"fmt"
	"strings"

	"zonemark/invocations"
)

// artifactOptions are the options with which runtimes build, load and run an artifact: flags of the command line, keys
// of suites, and entries of Artifact.Options.
func artifactOptions() []invocations.Option {
	return []invocations.Option{
		{Name: "provider", Placeholder: "name",
			Usage: "how IREE modules are run: auto, capi (C API), python (the wheels), dispatch (single dispatches without a runtime)"},
		{Name: "device", Placeholder: "name",
			Usage: "device of IREE modules: local-sync, local-task, or another that the runtime has"},
		{Name: "task-threads", Placeholder: "n", Usage: "workers of the device local-task"},
		{Name: "compile-flags", Placeholder: "flags", Usage: "flags of iree-compile for MLIR, separated by spaces"},
		{Name: "parameter-files", Placeholder: "files",
			Usage: "[SCOPE=]PATH of .irpa, .gguf or .safetensors files with parameters of IREE modules, separated by commas"},
		{Name: "plugin", Placeholder: "name",
			Usage: "PJRT plugin that runs StableHLO: a path, tt (Tenstorrent's) or cpu (XLA's); ZONEMARK_PJRT_PLUGIN when left out", Kind: invocations.NameOrFileOption},
		{Name: "transfers", Placeholder: "how",
			Usage: "what a call to a PJRT plugin is: excluded (an execution, buffers stay on the device) or included (inputs pushed, results fetched)"},
		{Name: "resident-inputs", Placeholder: "n",
			Usage: "with --transfers included: so many leading inputs, such as weights, stay on the device"},
		{Name: "chips", Placeholder: "n",
			Usage: "devices that a PJRT plugin runs a program on at once, each with inputs of its own; 0: all"},
		{Name: "compile-options", Placeholder: "options",
			Usage:           "options of a PJRT plugin's compiler, NAME=VALUE separated by spaces; --compile-option adds one",
			Repeatable:      "compile-option",
			RepeatableUsage: "one option of a PJRT plugin's compiler, such as optimization_level=1; repeatable"},
		{Name: optionsFile, Placeholder: "file",
			Usage: "options of a PJRT plugin's compiler as a serialized CompileOptionsProto, taken as it is",
			Kind:  invocations.FileOption},
		{Name: "compile-cache", Placeholder: "on|off",
			Usage: "whether programs that a PJRT plugin has compiled before are loaded from the cache; on when left out"},
		{Name: simulatorOption, Placeholder: "file",
			Usage: "Tenstorrent's simulator libttsim.so, which runs RISC-V programs; TT_METAL_SIMULATOR when left out",
			Kind:  invocations.FileOption},
		{Name: "cycle-limit", Placeholder: "n",
			Usage: "simulated cycles after which a RISC-V program has failed; 20,000,000 when left out"},
		{Name: "l1", Placeholder: "layout",
			Usage: "where a flat binary for ttsim has what an ELF file's symbols say: \"mailbox=0x20000 input0=0x10000:1024xi32 output0=0x11000:i32 load=0\""},
	}
}

// addOptions adds the flags of artifactOptions, those that add a word to another one last.
func (f *measureFlags) addOptions() {
	for _, o := range artifactOptions() {
		f.set.Var(optionValue{f, o.Name, o.Placeholder}, o.Name, o.Usage)
	}
	for _, o := range artifactOptions() {
		if o.Repeatable != "" {
			f.set.Var(repeatableValue{f, o.Name}, o.Repeatable, o.RepeatableUsage)
		}
	}
}

// setOption keeps an option of artifacts; an empty value is as if nothing had been said.
func (f *measureFlags) setOption(name, value string) {
	if f.options == nil {
		f.options = map[string]string{}
	}
	if f.options[name] = value; value == "" {
		delete(f.options, name)
	}
}

// optionValue is a flag that becomes an option of artifacts.
type optionValue struct {
	flags      *measureFlags
	name, kind string
}

func (v optionValue) String() string {
	if v.flags == nil {
		return ""
	}
	return v.flags.options[v.name]
}

func (v optionValue) Type() string { return v.kind }

func (v optionValue) Set(s string) error {
	v.flags.setOption(v.name, s)
	return nil
}

// repeatableValue is a flag that adds a word to an option.
type repeatableValue struct {
	flags *measureFlags
	name  string // of the option
}

func (v repeatableValue) String() string { return "" }

func (v repeatableValue) Type() string { return "name=value" }

func (v repeatableValue) Set(s string) error {
	if name, _, found := strings.Cut(s, "="); !found || name == "" || strings.ContainsAny(s, " \t\r\n") {
		return fmt.Errorf("want NAME=VALUE without spaces, such as optimization_level=1")
	}
	v.flags.setOption(v.name, strings.TrimSpace(v.flags.options[v.name]+" "+s))
	return nil
}

// modeDispatch is the value of --mode that chooses a provider, since it is what people look for there.
const modeDispatch = "dispatch"

const modeDispatchUsage = "dispatch: single dispatches of IREE modules, without a runtime (warm, or with a second --mode as that one says)"

// modeValue is --mode: a way of measuring, or dispatch.
type modeValue struct {
	choiceValue[invocations.Mode]
	setOption func(name, value string)
}

func (v modeValue) Type() string { return v.choiceValue.Type() + "|" + modeDispatch }

func (v modeValue) Set(s string) error {
	if s == modeDispatch {
		v.setOption("provider", modeDispatch)
		return nil
	}
	if v.choiceValue.Set(s) != nil {
		return fmt.Errorf("want one of %s", strings.ReplaceAll(v.Type(), "|", ", "))
	}
	return nil
}
