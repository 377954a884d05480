package modelbench

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
)

// addIREEFlags adds the options of IREE modules that apply to models.
func (f *Flags) addIREEFlags() {
	row := f.Runtimes.Lookup(iree.Name)
	for _, o := range row.Options {
		if slices.Contains([]string{iree.OptionProvider, "task-threads", "compile-flags"}, o.Name) {
			value := func() string { return f.runtimeOptions[o.Name] }
			f.set.Var(cli.FlagValue{Kind: o.Placeholder, Text: value, Keep: func(text string) error {
				f.runtimeOptions[o.Name] = text
				return nil
			}}, o.Name, o.Usage)
		}
	}
}

// settleRuntimes decides which runtimes run the model, and which of them the flags for one runtime concern.
func (f *Flags) settleRuntimes() (err error) {
	o := &f.Options
	if f.backends, err = chosenBackends(f.runtimes); err != nil {
		return err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(f.backends, func(b backend) bool { return b.name == name })
	}
	if o.Given["runtime"] {
		o.Runtimes = namesOf(f.backends)
	}
	if (f.several() || f.Spread) && !o.Given["repetitions"] {
		o.Repetitions = pairedRepetitions
	}
	ofPyBuda := slices.Contains(bench.Devices(), f.device)
	switch {
	case !has(iree.Name) && len(f.runtimeOptions) > 0:
		for name := range f.runtimeOptions {
			return fmt.Errorf("--%s is for --runtime %s", name, iree.Name)
		}
	case !has(tt.Name) && o.Given["plugin"]:
		return fmt.Errorf("--plugin names a PJRT plugin, which is for --runtime %s", tt.Name)
	case !has(tt.Name) && o.Given["compile_option"]:
		return errors.New("--compile-option is for PJRT plugins; --compile-flags is for IREE's compiler")
	case !has(tt.Name) && ofPyBuda:
		return fmt.Errorf("--device %s is for --runtime %s; IREE has %s, local-sync and those of its drivers", f.device,
			tt.Name, defaultIREEDevice)
	case !has(iree.Name) && o.Given["device"] && !ofPyBuda:
		return fmt.Errorf("--device %s: want one of %s, or with --runtime %s a device of IREE", f.device,
			strings.Join(bench.Devices(), ", "), iree.Name)
	}
	return nil
}

// optionsFor returns the flags as they apply to one runtime.
func (f *Flags) optionsFor(b backend) bench.Options {
	o := f.Options
	ofPyBuda := slices.Contains(bench.Devices(), f.device)
	if device := f.device; o.Given["device"] && ofPyBuda == (b.name == tt.Name) {
		o.Device = &device
	}
	if b.name == iree.Name && len(f.runtimeOptions) > 0 {
		o.RuntimeOptions = maps.Clone(f.runtimeOptions)
	}
	return o
}
