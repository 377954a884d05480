package modelbench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/bench"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// probeProgram is a program that finds out about a device before anything is exported for it.
const probeProgram = `module @probe {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
}
`

// deviceOptions returns the options of the runtime for programs on so many chips of the device.
func (b *Benchmark) deviceOptions(chips int) map[string]string {
	options := map[string]string{"chips": strconv.Itoa(chips)}
	if plugin := b.Options.PluginFor(); plugin != "" {
		options[tt.OptionPlugin] = plugin
	}
	return options
}

// findDevice runs an empty program on the device to learn about the device.
func (b *Benchmark) findDevice(ctx context.Context, scratch string) (bench.Device, error) {
	path := filepath.Join(scratch, "probe.mlir")
	if err := os.WriteFile(path, []byte(probeProgram), 0o644); err != nil {
		return bench.Device{}, fmt.Errorf("probe the device: %w", err)
	}
	probe := invocations.Invocation{
		Name: "probe of the device", Runtime: tt.Name, Function: "main",
		Artifact: invocations.Artifact{Path: path, Options: b.deviceOptions(1)},
		Arguments: []invocations.Argument{{Name: "%arg0", Element: invocations.Float32, Usage: invocations.Input,
			Contents: invocations.Contents{Fill: invocations.FillZeros}}},
		Measure: invocations.Measure{Mode: invocations.Warm, Rounds: 1, CPU: -1, CheckOnly: true}, Limits: b.limits,
	}
	records, err := b.execute(ctx, scratch, []invocations.Invocation{probe})
	if err != nil {
		return bench.Device{}, err
	}
	r := &records[0]
	if r.Status != invocations.OK {
		return bench.Device{}, &notOKError{fmt.Errorf("the device cannot be used: %s: %s", r.Status,
			strings.TrimPrefix(r.Error, path+": "))}
	}
	device := bench.Device{Plugin: r.Properties[tt.PropertyPlugin],
		Platform: strings.ToLower(r.Properties[tt.PropertyPlatform]), Kind: r.Properties[tt.PropertyDeviceKind]}
	if device.Available, err = strconv.Atoi(r.Properties[tt.PropertyAvailable]); err != nil {
		return bench.Device{}, fmt.Errorf("probe the device: %w", err)
	}
	if device.Chips = b.Options.Chips; device.Chips == 0 {
		device.Chips = device.Available
	}
	if device.Chips > device.Available {
		return bench.Device{}, &bench.Error{Kind: "flag", Text: fmt.Sprintf("--chips %d: %s has %d; 0 stands for all",
			device.Chips, device.Plugin, device.Available)}
	}
	return device, nil
}

// execute carries invocations out in a sandboxed executor and returns a record for each, in their order. It provides
// the plugins that they name.
func (b *Benchmark) execute(ctx context.Context, scratch string, list []invocations.Invocation) ([]invocations.Record,
	error) {
	if err := b.provide(ctx, list); err != nil {
		return nil, err
	}
	cli.RelaxCollector()
	plan := &driver.Plan{Environment: b.record.Zonemark.Environment}
	for _, inv := range list {
		inv.Seal()
		plan.Add(driver.Planned{Invocation: inv})
	}
	cache, err := b.cache().Folder("")
	if err != nil {
		return nil, err
	}
	executors := hosting.NewMeasurer(b.hosting(b.variables, scratch).Serving(plan, cache))
	defer executors.Close()
	line := cli.NewProgressLine(b.Err, b.quiet)
	outcome, err := driver.Execute(ctx, plan, driver.Execution{
		Executor: executors, Build: cli.Version(), Progress: hosting.ShowProgress(line),
	})
	line.Clear()
	if err == nil && outcome.Records.Len() != len(list) {
		err = fmt.Errorf("%d of %d invocations came to an end", outcome.Records.Len(), len(list))
	}
	return outcome.Records.List(), err
}

// provide finds, or installs, the plugins that invocations name. It tells the user about them once.
func (b *Benchmark) provide(ctx context.Context, list []invocations.Invocation) (err error) {
	installing := b.Installing(b.quiet || b.provided)
	defer installing.Line.Clear()
	o := installing.Options(b.python)
	o.Variables = b.variables
	b.variables, err = b.Runtimes.Provide(ctx, o, list, false)
	b.provided = err == nil
	return err
}

// measureModules measures the modules of an export and fills the record.
func (b *Benchmark) measureModules(ctx context.Context, x bench.Export, c bench.Choices, scratch string) error {
	var list []invocations.Invocation
	for i := range x.Modules {
		inv := b.invocation(x, &x.Modules[i], c)
		program, err := os.ReadFile(inv.Artifact.Path)
		if err != nil {
			return fmt.Errorf("export in the cache: %w", err)
		}
		sum := sha256.Sum256(program)
		inv.Artifact.SHA256 = hex.EncodeToString(sum[:])
		list = append(list, inv)
	}
	watch := watchTTMetal(b.variables.Lookup)
	records, err := b.execute(ctx, scratch, list)
	if err != nil {
		return err
	}
	b.results = records
	var modules []bench.ModuleRecord
	for i, r := range records {
		r.Arguments = nil // a model has hundreds, and its export lists them
		modules = append(modules, bench.ModuleRecord{Role: x.Modules[i].Role, Record: r})
	}
	if err := b.record.Measured(modules); err != nil {
		return &notOKError{err}
	}
	b.analyse()
	return b.trace(ctx, watch)
}

// invocation returns the invocation of a module, with transfers included and weights on the device.
func (b *Benchmark) invocation(x bench.Export, m *bench.Module, c bench.Choices) invocations.Invocation {
	options := map[string]string{tt.OptionPlugin: tt.PluginCPU}
	chips := 1
	if m.Role == bench.RoleDevice {
		options = b.deviceOptions(b.Options.Chips)
		chips = b.Options.Chips
		if all := append(c.CompileOptions, b.Options.CompileOptions...); len(all) > 0 {
			options["compile-options"] = strings.Join(all, " ")
		}
	}
	options["transfers"] = "included"
	if n := m.Weights(); n > 0 {
		options["resident-inputs"] = strconv.Itoa(n)
	}
	name := strings.Join([]string{x.Model, x.Config, m.Role}, "/")
	inv := invocations.Invocation{
		Name: strings.ReplaceAll(name, "//", "/"), Runtime: tt.Name, Function: m.Function,
		Artifact: invocations.Artifact{Path: filepath.Join(x.Folder, m.Program), Options: options},
		Measure:  b.measure(), Limits: b.limits, FLOP: m.FLOP * float64(chips),
		Verify: invocations.Verification{Tolerance: m.Tolerance.Relative},
	}
	if m.Role == bench.RoleDevice {
		inv.Measure.ProfileCalls = b.profiledCalls()
	}
	for _, a := range m.Inputs {
		inv.Arguments = append(inv.Arguments, invocations.Argument{
			Name: a.Name, Shape: append([]int64{}, a.Shape...), Usage: invocations.Input,
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: filepath.Join(x.Folder, a.File)},
		})
	}
	for _, a := range m.Outputs {
		if a.File == "" {
			break // further results are not checked
		}
		inv.Verify.Expected = append(inv.Verify.Expected, "@"+filepath.Join(x.Folder, a.File))
	}
	return inv
}
