package modelbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/driver/files"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// target is a runtime that runs the model, with its record.
type target struct {
	*Benchmark
	backend backend
	options bench.Options // the flags, as they apply to this runtime
	record  bench.RunRecord
	choices bench.Choices
	failure error // nil while all is well
}

// backend is what this package knows of a runtime that runs models.
type backend struct {
	name string
	// artifactOptions returns the options for a program on so many chips of the device.
	artifactOptions func(t *target, chips int) map[string]string
	// moduleOptions returns the options for a module of the model.
	moduleOptions func(t *target, m *bench.Module) map[string]string
	// device reads what a probe has found out.
	device func(t *target, r *invocations.Record) (bench.Device, error)
	remedy string // what may help if a model cannot be built; begins the end of an error
}

// allRuntimes stands for all runtimes that run models.
const allRuntimes = "all"

// backends returns the runtimes that run models.
func backends() []backend {
	return []backend{
		{tt.Name, (*target).pluginOptions, (*target).pluginModuleOptions, (*target).pluginDevice, ""},
		{iree.Name, (*target).ireeOptions, (*target).ireeModuleOptions, (*target).ireeDevice,
			"\n--compile-flags hands flags to IREE's compiler, and --runtime " + tt.Name + " measures the model on PJRT"},
	}
}

// backendNames returns the names of the runtimes that run models.
func backendNames() (names []string) {
	for _, b := range backends() {
		names = append(names, b.name)
	}
	return names
}

// chosenBackends returns the runtimes that a list names, separated by commas.
func chosenBackends(list string) (chosen []backend, err error) {
	if list == allRuntimes {
		return backends(), nil
	}
	for name := range strings.SplitSeq(list, ",") {
		named := func(b backend) bool { return b.name == name }
		i := slices.IndexFunc(backends(), named)
		switch {
		case i < 0:
			return nil, fmt.Errorf("--runtime %s: models run on %s; %s stands for each of them%s", list,
				strings.Join(backendNames(), " and "), allRuntimes, spelling.Suggest(name, backendNames()))
		case slices.ContainsFunc(chosen, named):
			return nil, fmt.Errorf("--runtime %s: %s is there twice", list, name)
		}
		chosen = append(chosen, backends()[i])
	}
	return chosen, nil
}

// pluginOptions returns the options for programs on PJRT plugins.
func (t *target) pluginOptions(chips int) map[string]string {
	options := map[string]string{"chips": strconv.Itoa(chips)}
	if plugin := t.options.PluginFor(); plugin != "" {
		options[tt.OptionPlugin] = plugin
	}
	return options
}

// pluginModuleOptions returns the options for a module on PJRT plugins. The modules around the device's run on the CPU.
func (t *target) pluginModuleOptions(m *bench.Module) map[string]string {
	options := map[string]string{tt.OptionPlugin: tt.PluginCPU}
	if m.Role == bench.RoleDevice {
		options = t.pluginOptions(t.options.Chips)
		if all := slices.Concat(t.choices.CompileOptions, t.options.CompileOptions); len(all) > 0 {
			options["compile-options"] = strings.Join(all, " ")
		}
	}
	if !t.transfers() {
		return options
	}
	options["transfers"] = "included"
	if n := m.Weights(); n > 0 {
		options["resident-inputs"] = strconv.Itoa(n)
	}
	return options
}

// pluginDevice reads the properties that a PJRT plugin reports.
func (t *target) pluginDevice(r *invocations.Record) (bench.Device, error) {
	device := bench.Device{Plugin: r.Properties[tt.PropertyPlugin],
		Platform: strings.ToLower(r.Properties[tt.PropertyPlatform]), Kind: r.Properties[tt.PropertyDeviceKind]}
	var err error
	if device.Available, err = strconv.Atoi(r.Properties[tt.PropertyAvailable]); err != nil {
		return bench.Device{}, fmt.Errorf("probe the device: %w", err)
	}
	return device, nil
}

// ireeOptions returns the options for programs on IREE.
func (t *target) ireeOptions(int) map[string]string {
	options := maps.Clone(t.runtimeOptions)
	if options == nil {
		options = map[string]string{}
	}
	options[ireeDeviceOption] = t.ireeDeviceName()
	return options
}

// ireeModuleOptions returns the options for a module on IREE. The modules around the device's run on the CPU.
func (t *target) ireeModuleOptions(m *bench.Module) map[string]string {
	if m.Role == bench.RoleDevice || !iree.OnDevice(t.ireeOptions(1)) {
		return t.ireeOptions(1)
	}
	return map[string]string{ireeDeviceOption: defaultIREEDevice}
}

// ireeDeviceOption is the option of IREE modules that names the device.
const ireeDeviceOption = "device"

// defaultIREEDevice uses all CPUs, as XLA's plugin does.
const defaultIREEDevice = "local-task"

func (t *target) ireeDeviceName() string {
	if t.options.Device != nil {
		return *t.options.Device
	}
	return defaultIREEDevice
}

// ireeDevice returns the device of IREE's options, of which there is one.
func (t *target) ireeDevice(r *invocations.Record) (bench.Device, error) {
	version := strings.TrimSpace("IREE " + t.variables.Lookup(setup.VersionVariable))
	return bench.Device{
		Plugin: version + ", " + r.Options[iree.OptionProvider], Platform: t.ireeDeviceName(), Available: 1,
		CompilerFlag: "--compile-flags",
	}, nil
}

// transfers reports whether a call pushes inputs and fetches results. Calls of IREE do not, and what is compared with
// them does not either.
func (b *Benchmark) transfers() bool {
	return !slices.ContainsFunc(b.targets, func(t *target) bool { return t.backend.name == iree.Name })
}

// several reports whether the flags name several runtimes.
func (b *Benchmark) several() bool { return len(b.targets) > 1 }

// say tells the user something about this runtime.
func (t *target) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.several() {
		text = t.backend.name + ": " + text
	}
	t.Say("%s", text)
}

// fail records why the runtime has no results. It does nothing without an error.
func (t *target) fail(err error) {
	if err != nil && t.failure == nil {
		t.failure = err
	}
}

// settle finds out about the device and decides what the flags mean on it.
func (t *target) settle(ctx context.Context, scratch string) error {
	device, err := t.findDevice(ctx, scratch)
	if err != nil {
		return err
	}
	t.choices, err = t.options.Settle(device)
	t.record.Args = t.options
	t.record.SetDevice(device)
	for flag, why := range t.choices.NotApplied {
		t.record.NotApplied(flag, why)
	}
	return err
}

// probeProgram is a program that finds out about a device before anything is exported for it.
const probeProgram = `module @probe {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
}
`

// findDevice runs a small program on the device to learn about the device.
func (t *target) findDevice(ctx context.Context, scratch string) (bench.Device, error) {
	folder, err := t.cache().Folder("probe") // always the same one, so that what is built of it is found again
	if err != nil {
		return bench.Device{}, err
	}
	path := filepath.Join(folder, "probe.mlir")
	if err := files.Write(path, 0o644, []byte(probeProgram)); err != nil {
		return bench.Device{}, fmt.Errorf("probe the device: %w", err)
	}
	probe := invocations.Invocation{
		Name: "probe of the device", Runtime: t.backend.name, Function: "main",
		Artifact: invocations.Artifact{Path: path, Options: t.backend.artifactOptions(t, 1)},
		Arguments: []invocations.Argument{
			{Name: "0", Contents: invocations.Contents{Fill: invocations.FillZeros}},
		},
		Measure: invocations.Measure{Mode: invocations.Warm, Rounds: 1, CPU: -1, CheckOnly: true}, Limits: t.limits,
	}
	requests := []invocations.Invocation{probe}
	if err := t.provide(ctx, requests); err != nil {
		return bench.Device{}, err
	}
	planned, err := t.plan(ctx, requests)
	if err != nil {
		return bench.Device{}, unusable(err.Error(), path)
	}
	records, err := t.execute(ctx, scratch, planned)
	if err != nil {
		return bench.Device{}, err
	}
	r := &records[0]
	if r.Status != invocations.OK {
		return bench.Device{}, unusable(string(r.Status)+": "+strings.TrimPrefix(r.Error, path+": "), path)
	}
	device, err := t.backend.device(t, r)
	if err != nil {
		return device, err
	}
	if device.Chips = t.options.Chips; device.Chips == 0 {
		device.Chips = device.Available
	}
	if device.Chips > device.Available {
		return device, &bench.Error{Kind: "flag", Text: fmt.Sprintf("--chips %d: %s has %d; 0 stands for all",
			device.Chips, device.Plugin, device.Available)}
	}
	return device, nil
}

// unusable returns the error for a device that cannot run the probe, whose path the reason may begin with.
func unusable(why, path string) error {
	return &notOKError{fmt.Errorf("the device cannot be used: %s", strings.TrimPrefix(why, path+": "))}
}

// sayNotApplied names the flags that the user gave and that have no effect.
func (t *target) sayNotApplied() {
	notApplied := t.record.Zonemark.NotApplied
	for _, flag := range t.options.Asked(notApplied) {
		t.say("not applied: %s: %s", flag, report.Printable(notApplied[flag]))
	}
}

// status returns the exit status for how the runtime ended.
func (t *target) status(ctx context.Context) int {
	var notOK *notOKError
	switch {
	case t.failure == nil:
		return cli.ExitOK
	case errors.As(t.failure, &notOK) && ctx.Err() == nil:
		return cli.ExitNotOK
	}
	return cli.ExitError
}
