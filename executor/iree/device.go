package iree

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/invocations/lazyregexp"
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
	cmd := exec.CommandContext(ctx, filepath.Join(in.Tools, runModule), "--dump_devices="+driver)
	said, complaints := &beginning{}, &beginning{}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = said, complaints, compileAfterlife
	err := cmd.Run()
	found, problem := reportedArchitecture(said.String(), device)
	if problem == nil {
		return found, nil
	}
	switch text := oneLine(toolError(complaints.Bytes())); {
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

var (
	// deviceHead matches the line that begins the description of a device: "# --device=cuda://GPU-…".
	deviceHead = lazyregexp.New(`^#\s*--device=(\S+)\s*$`)
	// computeCapability and archName match what drivers say of their devices: "- gpu-compute-capability: 8.0" and
	// "- gpu-arch-name: gfx942:sramecc+:xnack-".
	computeCapability = lazyregexp.New(`^-?\s*gpu-compute-capability:\s*([0-9]{1,3})\.([0-9])\s*$`)
	archName          = lazyregexp.New(`^-?\s*gpu-arch-name:\s*(gfx[0-9a-f]{2,5})(?::\S*)?\s*$`)
)

// reportedArchitecture finds the architecture of a device in what iree-run-module --dump_devices prints. A device
// without a path is the driver's first one.
func reportedArchitecture(dump, device string) (string, error) {
	driver, path, _ := strings.Cut(device, "://")
	here, any := false, false
	for line := range strings.Lines(dump) {
		line = strings.TrimSpace(line)
		if head := deviceHead().FindStringSubmatch(line); head != nil {
			here = !any && path == "" || path != "" && head[1] == device
			any = true
			continue
		}
		if !here {
			continue
		}
		if m := computeCapability().FindStringSubmatch(line); m != nil && driver == "cuda" {
			return "sm_" + m[1] + m[2], nil
		}
		if m := archName().FindStringSubmatch(line); m != nil && driver == "hip" {
			return m[1], nil
		}
	}
	if !any {
		return "", errors.New("the driver has no devices here")
	}
	return "", errors.New("its driver does not report one")
}
