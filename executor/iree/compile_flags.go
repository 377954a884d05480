package iree

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// compilerFlags are arguments of iree-compile.
type compilerFlags []string

// defaultFlags make code for the processor of this machine, to run on local-sync and local-task.
func defaultFlags() compilerFlags {
	return compilerFlags{
		"--iree-hal-target-device=local",
		"--iree-hal-local-target-device-backends=llvm-cpu",
		"--iree-llvmcpu-target-cpu=host",
	}
}

// compileFlags are the default flags and those of the option, which replace a default of the same name.
func compileFlags(option string) (compilerFlags, error) {
	flags := defaultFlags()
	for one := range strings.FieldsSeq(option) {
		name := flagName(one)
		if name == "" {
			return nil, fmt.Errorf("option %s: %q is not a flag; write --NAME=VALUE", optionCompileFlags, one)
		}
		if name == "o" {
			return nil, fmt.Errorf("option %s: %q: the output goes to the cache", optionCompileFlags, one)
		}
		if i := slices.IndexFunc(defaultFlags(), func(f string) bool { return flagName(f) == name }); i >= 0 {
			flags = slices.DeleteFunc(flags, func(f string) bool { return f == defaultFlags()[i] })
		}
		flags = append(flags, one)
	}
	return flags, nil
}

// flagName is NAME of -NAME and --NAME=VALUE; empty for what is no flag.
func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
	if bare == name {
		return ""
	}
	return bare
}

// forHost says whether the code depends on the processor that compiles.
func (f compilerFlags) forHost() bool {
	return slices.ContainsFunc(f, func(flag string) bool { return strings.HasSuffix(flag, "=host") })
}

// hostProcessor tells processors apart for which code is made differently, also where a cache is shared by several machines.
func hostProcessor() string {
	described := runtime.GOARCH
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return described // a system whose caches are its own
	}
	processor, _, _ := strings.Cut(string(info), "\n\n")
	for line := range strings.SplitSeq(processor, "\n") {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "model name", "flags", "Features", "CPU implementer", "CPU part", "isa":
			described += "\n" + strings.TrimSpace(value)
		}
	}
	return described
}
