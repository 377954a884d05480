package iree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/dimensions"
	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/releases"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// front is a front end: what users measure of a module. There are two kinds: whole functions, which a provider of
// IREE's runtime calls, and dispatches alone, which no runtime calls. Users choose one by OptionProvider.
type front interface {
	name() string
	// unusable returns why the front end cannot be used here with a driver for devices, and what to do about it. It is
	// nil if it can be used, or if that is found only when a module is loaded.
	unusable(driver string) error
	// describe adds to a description what can be measured of the module.
	describe(
		ctx context.Context, d invocations.Description, m module, o executor.DescribeOptions,
	) (invocations.Description, error)
	// load loads the module of an artifact.
	load(artifact invocations.Artifact, m module) (executor.Program, error)
}

// module is a module that was read.
type module struct {
	*vmfb.Module
	file    string // path of the .vmfb
	foreign string // why none of its native code runs here; see wrongMachine
}

// call adds the libraries of the modules that the module calls.
func (m module) call(paths []string) error {
	for _, path := range paths {
		called, err := vmfb.Read(path)
		if err != nil {
			return fmt.Errorf("module that %s calls: %w", m.file, err)
		}
		m.Call(called)
	}
	return nil
}

// checks reports whether the functions of the module check something themselves, by a module that only
// iree-check-module has. It may be absent, and then they check nothing.
func (m module) checks() bool {
	return slices.ContainsFunc(m.Dependencies, func(d vmfb.Dependency) bool { return d.Name == "check" })
}

// fronts returns the front ends, the preferred one first.
func (in Installation) fronts() []front {
	var list []front
	for _, p := range in.providers() {
		list = append(list, wholeFunctions{p, in.Version})
	}
	return append(list, dispatchesAlone{in})
}

// choose returns the front end that the options ask for. For auto it is the first of the list that is installed and has
// the driver of the device. A traced run needs a runtime with a Tracy client, which only the Python wheels have.
func (in Installation) choose(options map[string]string) (front, error) {
	want := options[OptionProvider]
	if want == "" {
		want = ProviderAuto
	}
	if want == ProviderAuto && in.Tracy {
		want = ProviderPython
	}
	var names, why []string
	var remedies []remedy.Remedy
	for _, f := range in.fronts() {
		names = append(names, f.name())
		if want != f.name() && want != ProviderAuto {
			continue
		}
		switch reason := f.unusable(Driver(options)); {
		case reason == nil:
			return f, nil
		case want == f.name():
			return nil, fmt.Errorf("provider %s: %w", want, reason)
		default:
			why = append(why, fmt.Sprintf("%s: %v", f.name(), reason))
			remedies = append(remedies, remedy.Of(reason)...)
		}
	}
	if want != ProviderAuto {
		if near := spelling.Nearest(want, append(names, ProviderAuto)); near != "" {
			return nil, remedy.With(fmt.Errorf("no provider %q; did you mean %q?", want, near),
				remedy.Remedy{Kind: remedy.Instead, Name: want, Value: near})
		}
		return nil, fmt.Errorf("no provider %q; there are %s and %s", want, ProviderAuto, strings.Join(names, ", "))
	}
	return nil, remedy.With(&executor.UnsupportedError{
		Reason: fmt.Sprintf("no way of running IREE modules on device %s is there: %s", device(options),
			strings.Join(why, "; ")),
	}, remedies...)
}

// wholeFunctions is the front end that measures functions of modules by calls of a provider.
type wholeFunctions struct {
	provider
	version string // of the runtime; empty if it is not known
}

func (wholeFunctions) describe(
	_ context.Context, d invocations.Description, m module, _ executor.DescribeOptions,
) (invocations.Description, error) {
	for i := range m.Functions {
		d.Functions = append(d.Functions, functions.Describe(&m.Functions[i], m.foreign))
	}
	if m.checks() {
		d.Warnings = append(d.Warnings, d.Artifact.Path+": it was compiled with checks of its own (check.expect_…), which "+
			"are not made: only iree-check-module has them; have its functions return what they check, and expect that")
	}
	if len(m.Functions) == 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s: the module exports no functions", d.Artifact.Path))
	}
	return d, nil
}

func (w wholeFunctions) load(artifact invocations.Artifact, m module) (executor.Program, error) {
	p, err := w.loadBeside(artifact, m, nil)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// loadBeside loads a module beside others, whose devices it may share.
func (w wholeFunctions) loadBeside(artifact invocations.Artifact, m module, beside []session) (*program, error) {
	if err := runnable(m, w.version); err != nil {
		return nil, err
	}
	s, err := w.open(m.file, artifact.Options, beside...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return &program{session: s, module: m.Module, artifact: artifact}, nil
}

// dispatchesAlone is the front end that measures dispatches of modules, without a runtime.
type dispatchesAlone struct{ installation Installation }

func (dispatchesAlone) name() string { return ProviderDispatch }

// unusable refuses devices other than the CPU, for which modules hold no libraries.
func (dispatchesAlone) unusable(driver string) error {
	if err := dispatchmode.Supported(); err != nil || onCPU(driver) {
		return err
	}
	return fmt.Errorf("single dispatches run on the CPU, not on device %s", driver)
}

func (a dispatchesAlone) describe(
	ctx context.Context, d invocations.Description, m module, o executor.DescribeOptions,
) (invocations.Description, error) {
	a.installation.confine = o.Confine
	called := moduleFiles(o.Options)
	if err := m.call(called); err != nil {
		return d, err
	}
	read := append([]string{m.file}, called...)
	for _, path := range strings.Split(o.Options[optionParameterFiles], ",") {
		read = append(read, path[strings.IndexByte(path, '=')+1:]) // [SCOPE=]PATH
	}
	r := dispatchmode.Recorder{
		Cache: o.Cache, Tool: a.installation.tool(read...), Parameters: o.Options[optionParameterFiles],
		Refused: releases.Unfit(m.Module, a.installation.Version), Inputs: dimensions.Inputs(o.Options[optionDimensions]),
		Called: called,
	}
	d, err := r.Describe(ctx, d, m.Module, m.file, m.foreign)
	if err == nil && o.Options[OptionProvider] != ProviderDispatch {
		d.Warnings = append(d.Warnings, d.Artifact.Path+": no IREE runtime is installed, so "+
			"its dispatches are called one by one, without one")
	}
	return d, err
}

func (a dispatchesAlone) load(artifact invocations.Artifact, m module) (executor.Program, error) {
	if err := m.call(moduleFiles(artifact.Options)); err != nil {
		return nil, err
	}
	providers := a.installation.providers()
	return dispatchmode.Load(artifact, m.file, m.Module, func(inv *invocations.Invocation) ([]tensor.Tensor, string) {
		return callWhole(providers, m.file, artifact.Options, inv)
	})
}

// callWhole calls a function once by the first provider that can. why says why none did.
func callWhole(
	providers []provider, file string, options map[string]string, inv *invocations.Invocation,
) (results []tensor.Tensor, why string) {
	why = "no IREE runtime is installed"
	for _, p := range providers {
		if p.unusable(Driver(options)) != nil {
			continue
		}
		results, err := callOnce(p, file, options, inv)
		if err == nil {
			return results, ""
		}
		why = fmt.Sprintf("%s: %v", p.name(), err)
	}
	return nil, why
}

// callOnce opens a module, calls a function once on the first set of its inputs, and closes the module.
func callOnce(
	p provider, file string, options map[string]string, inv *invocations.Invocation,
) ([]tensor.Tensor, error) {
	s, err := p.open(file, options)
	if err != nil {
		return nil, err
	}
	results, err := runOnce(s, inv.Function, inv)
	return results, errors.Join(err, s.close())
}

// runnable returns an error if a runtime of a version does not run a module. It says whether the module's dispatches
// can be measured all the same.
func runnable(m module, version string) error {
	switch err := releases.Unfit(m.Module, version); {
	case err == nil:
		return nil
	case dispatchmode.Callable(m.Module):
		return remedy.With(fmt.Errorf("%s: %w", m.file, err),
			remedy.Remedy{Kind: remedy.Act, Value: "compile it again with the iree-compile that belongs to the runtime"},
			remedy.Remedy{Kind: remedy.Choose, Name: "mode", Value: "dispatch"})
	default:
		return remedy.With(fmt.Errorf("%s: %w", m.file, err),
			remedy.Remedy{Kind: remedy.Act, Value: "compile it again with the iree-compile that belongs to the runtime"})
	}
}
