package modelbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/bench"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/executor/iree"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// target is a runtime that runs the model on a host, with its record.
type target struct {
	*Benchmark
	backend backend
	host    int           // its number; 0 if this machine measures
	options bench.Options // the flags, as they apply to this runtime
	record  bench.RunRecord
	choices bench.Choices
	failure error // nil while all is well
	stalled error // why there is no pipelined time, although there should be
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
	// apart returns why the modules of the model cannot hand samples on to each other; empty if they can.
	apart func(t *target) string
	// program returns a module's program, at a path, as a stage of a pipeline has it.
	program func(path string) (file string, program []byte, err error)
	remedy  string // what may help if a model cannot be built; begins the end of an error
}

// backends returns the runtimes that run models.
func backends() []backend {
	return []backend{
		{tt.Name, (*target).pluginOptions, (*target).pluginModuleOptions, (*target).pluginDevice,
			(*target).pluginsApart, programItself, ""},
		{iree.Name, (*target).ireeOptions, (*target).ireeModuleOptions, (*target).ireeDevice,
			func(*target) string { return "" }, programFile,
			"\n--compile-flags hands flags to IREE's compiler, and --runtime " + tt.Name + " measures the model on PJRT"},
	}
}

// namesOf returns the names of runtimes.
func namesOf(list []backend) (names []string) {
	for _, b := range list {
		names = append(names, b.name)
	}
	return names
}

// chosenBackends returns the runtimes that a list names, separated by commas.
func chosenBackends(list string) (chosen []backend, err error) {
	names, err := cli.Chosen("--runtime", list, namesOf(backends()), "models run on "+strings.Join(namesOf(backends()), " and "))
	for _, name := range names {
		i := slices.IndexFunc(backends(), func(b backend) bool { return b.name == name })
		chosen = append(chosen, backends()[i])
	}
	return chosen, err
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
func (f *Flags) transfers() bool {
	return !slices.ContainsFunc(f.backends, func(one backend) bool { return one.name == iree.Name })
}

// several reports whether the flags name several runtimes.
func (f *Flags) several() bool { return len(f.backends) > 1 }

// prefixed returns what begins a message about something that has a name.
func prefixed(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// say tells the user something about this runtime.
func (t *target) say(format string, args ...any) {
	t.Say("%s%s", prefixed(t.name()), fmt.Sprintf(format, args...))
}

// fail records why the runtime has no results. It does nothing without an error.
func (t *target) fail(err error) {
	if err != nil && t.failure == nil {
		t.failure = err
	}
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
	case t.failure == nil && t.stalled == nil:
		return cli.ExitOK
	case t.failure == nil:
		return cli.ExitNotOK
	case errors.As(t.failure, &notOK) && ctx.Err() == nil:
		return cli.ExitNotOK
	}
	return cli.ExitError
}
