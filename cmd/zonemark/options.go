package main

import (
	"fmt"
	"strings"

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
	}
}

// addOptions adds the flags of artifactOptions.
func (f *measureFlags) addOptions() {
	for _, o := range artifactOptions() {
		f.set.Var(optionValue{f, o.name, o.kind}, o.name, o.usage)
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

// modeDispatch is the value of --mode that chooses a provider, since it is what people look for there.
const modeDispatch = "dispatch"

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
