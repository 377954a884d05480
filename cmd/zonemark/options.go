package main

import (
	"fmt"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations"
)

// artifactOptions are the flags that say how a runtime builds, loads and runs an artifact; each goes into Artifact.Options under its own name.
func artifactOptions() []struct{ name, kind, usage string } {
	return []struct{ name, kind, usage string }{
		{"provider", "name", "how IREE modules are run: auto, capi (C API), python (the wheels), dispatch (single dispatches without a runtime)"},
		{"device", "name", "device of IREE modules: local-sync, local-task, or another that the runtime has"},
		{"task-threads", "n", "workers of the device local-task"},
		{"compile-flags", "flags", "flags of iree-compile for MLIR, separated by spaces"},
		{"parameter-files", "files", "[SCOPE=]PATH of .irpa, .gguf or .safetensors files with parameters of IREE modules, separated by commas"},
		{"plugin", "name", "PJRT plugin that runs StableHLO: a path, tt (Tenstorrent's) or cpu (XLA's); ZONEMARK_PJRT_PLUGIN when left out"},
		{"transfers", "how", "what a call to a PJRT plugin is: excluded (an execution, buffers stay on the device) or included (inputs pushed, results fetched)"},
		{"resident-inputs", "n", "with --transfers included: so many leading inputs, such as weights, stay on the device"},
		{"chips", "n", "devices that a PJRT plugin runs a program on at once, each with inputs of its own; 0: all"},
		{"compile-options", "options", "options of a PJRT plugin's compiler, NAME=VALUE separated by spaces; --compile-option adds one"},
		{optionsFile, "file", "options of a PJRT plugin's compiler as a serialized CompileOptionsProto, taken as it is"},
		{"compile-cache", "on|off", "whether programs that a PJRT plugin has compiled before are loaded from the cache; on when left out"},
		{simulatorOption, "file", "Tenstorrent's simulator libttsim.so, which runs RISC-V programs; TT_METAL_SIMULATOR when left out"},
		{"cycle-limit", "n", "simulated cycles after which a RISC-V program has failed; 20,000,000 when left out"},
		{"l1", "layout", "where a flat binary for ttsim has what an ELF file's symbols say: \"mailbox=0x20000 input0=0x10000:1024xi32 output0=0x11000:i32 load=0\""},
	}
}

// addOptions adds the flags of artifactOptions.
func (f *measureFlags) addOptions() {
	for _, o := range artifactOptions() {
		f.set.Var(optionValue{f, o.name, o.kind}, o.name, o.usage)
	}
	f.set.Var(compileOptionValue{f}, "compile-option", "one option of a PJRT plugin's compiler, such as optimization_level=1; repeatable")
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

// compileOptionValue is a flag that adds to the option compile-options.
type compileOptionValue struct{ flags *measureFlags }

func (v compileOptionValue) String() string { return "" }

func (v compileOptionValue) Type() string { return "name=value" }

func (v compileOptionValue) Set(s string) error {
	if name, _, found := strings.Cut(s, "="); !found || name == "" || strings.ContainsAny(s, " \t\r\n") {
		return fmt.Errorf("want NAME=VALUE without spaces, such as optimization_level=1")
	}
	v.flags.setOption("compile-options", strings.TrimSpace(v.flags.options["compile-options"]+" "+s))
	return nil
}

// modeDispatch is the value of --mode that chooses a provider, since it is what people look for there.
const modeDispatch = "dispatch"

// modeValue is --mode: a way of measuring, or dispatch.
type modeValue struct {
	cli.Choice[invocations.Mode]
	setOption func(name, value string)
}

func (v modeValue) Type() string { return v.Choice.Type() + "|" + modeDispatch }

func (v modeValue) Set(s string) error {
	if s == modeDispatch {
		v.setOption("provider", modeDispatch)
		return nil
	}
	if v.Choice.Set(s) != nil {
		return fmt.Errorf("want one of %s", strings.ReplaceAll(v.Type(), "|", ", "))
	}
	return nil
}
