package iree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree/targets"
	"zonemark/executor/toolchain"
	"zonemark/invocations/remedy"
)

// driverOf returns the driver of a device, as the runtime names it: "cuda" of "cuda://GPU-…".
func driverOf(device string) string {
	driver, _, _ := strings.Cut(device, "://")
	return driver
}

// onCPU reports whether a driver runs the native code of modules on this processor.
func onCPU(driver string) bool { return strings.HasPrefix(driver, "local-") }

// OnDevice reports whether the options of an artifact ask for a device other than the CPU.
func OnDevice(options map[string]string) bool { return !onCPU(Driver(options)) }

// Driver returns the driver of the device that the options of an artifact ask for.
func Driver(options map[string]string) string { return driverOf(device(options)) }

// Device returns the device that the options of an artifact ask for.
func Device(options map[string]string) string { return device(options) }

// runModule is the tool of the wheel iree-base-runtime that describes devices.
const runModule = "iree-run-module"

// describePatience limits how long a driver may take to describe its devices.
const describePatience = time.Minute

// architecture returns for which architecture code must be compiled to run on a device of the driver cuda ("sm_80") or
// hip ("gfx942"), as the device reports it.
func (in Installation) architecture(ctx context.Context, device string) (string, error) {
	if in.Tools == "" {
		return "", remedy.With(fmt.Errorf("device %s cannot be asked for its architecture without IREE's tools", device),
			remedy.Remedy{Kind: remedy.Install, Name: component},
			remedy.Remedy{Kind: remedy.File, Name: optionCompileFlags, Value: "the architecture"})
	}
	ctx, cancel := context.WithTimeout(ctx, describePatience)
	defer cancel()
	driver := driverOf(device)
	said := &toolchain.Beginning{}
	complaints, err := toolchain.Program{
		Command: []string{filepath.Join(in.Tools, runModule), "--dump_devices=" + driver},
		Output:  said,
	}.Run(ctx, nil)
	var failed *toolchain.FailedError
	if errors.As(err, &failed) {
		complaints, err = failed.Said, failed.Err
	}
	found, problem := targets.Architecture(said.String(), device)
	if problem == nil {
		return found, nil
	}
	switch text := oneLine(toolError(complaints)); {
	case ctx.Err() != nil:
		problem = fmt.Errorf("%s does not answer: %w", runModule, ctx.Err())
	case text != "":
		problem = errors.New(text)
	case err != nil:
		problem = fmt.Errorf("%s: %w", runModule, err)
	}
	return "", &executor.UnsupportedError{Reason: fmt.Sprintf("device %s does not say for which architecture to "+
		"compile: %v; name it with --%s", device, problem, optionCompileFlags)}
}
