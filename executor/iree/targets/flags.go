// Package targets says for which devices and processors iree-compile makes code: its flags, and what devices report of
// themselves. It runs nothing.
package targets

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/lazyregexp"
)

// Flags are arguments of iree-compile.
type Flags []string

// Defaults returns the flags that make code for the processor of this machine, to run on local-sync and local-task.
func Defaults() Flags {
	return Flags{
		"--iree-hal-target-device=local",
		"--iree-hal-local-target-device-backends=llvm-cpu",
		"--iree-llvmcpu-target-cpu=host",
	}
}

// Parse returns the default flags and those of a text, which replace a default of the same name.
func Parse(defaults Flags, text string) (Flags, error) {
	flags := slices.Clone(defaults)
	for one := range strings.FieldsSeq(text) {
		name := flagName(one)
		if name == "" {
			return nil, fmt.Errorf("%q is not a flag; write --NAME=VALUE", one)
		}
		if name == "o" {
			return nil, fmt.Errorf("%q: the output goes to the cache", one)
		}
		if i := slices.IndexFunc(defaults, func(f string) bool { return flagName(f) == name }); i >= 0 {
			flags = slices.DeleteFunc(flags, func(f string) bool { return f == defaults[i] })
		}
		flags = append(flags, one)
	}
	return flags, nil
}

// CheckForeign returns an error for flags of iree-compile that a suite or a bundle may not bring. They may choose a
// target and how code is made for it; most others name files or programs, or could.
func CheckForeign(option string) error {
	for one := range strings.FieldsSeq(option) {
		if !targetFlag().MatchString(one) || ofFiles().MatchString(one) {
			return fmt.Errorf("the flag %.80q is none of those that choose a target or an optimization, and others could "+
				"have the compiler read or write files, or load code", one)
		}
	}
	return nil
}

var (
	targetFlag = lazyregexp.New(`^--iree-(hal-target|hal-local-target|llvmcpu-target|vulkan-target|cuda-target|hip-target|` +
		`rocm-target|metal-target|opt|llvmcpu-enable|llvmcpu-disable|input|dispatch-creation|global-opt|flow|stream|vm-target)` +
		`[a-z0-9-]*(=[A-Za-z0-9_+.,:-]*)?$`)
	ofFiles = lazyregexp.New(`file|path|dir\b|dump|import|export|library|plugin|load|-to=|-from=|dotgraph`)
)

// flagName returns NAME of -NAME and --NAME=VALUE. It is empty if flag is not a flag.
func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
	if bare == name {
		return ""
	}
	return bare
}

// Choose reports whether one of the flags has one of these names.
func (f Flags) Choose(names ...string) bool {
	return slices.ContainsFunc(f, func(flag string) bool { return slices.Contains(names, flagName(flag)) })
}

// ForHost reports whether the code depends on the processor that compiles.
func (f Flags) ForHost() bool {
	return slices.ContainsFunc(f, func(flag string) bool { return strings.HasSuffix(flag, "=host") })
}
