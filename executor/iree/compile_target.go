package iree

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/remedy"
)

// The flags of iree-compile that choose the devices that code is made for. One of them replaces the choice that
// zonemark makes.
const (
	targetDeviceFlag   = "iree-hal-target-device"
	targetBackendsFlag = "iree-hal-target-backends"
)

// knownCUDA holds the compute capabilities that a compiler of IREE may know, the newest first. CUDA's driver translates
// code of an older one.
func knownCUDA() []int { return []int{89, 86, 80, 75, 70, 60} }

// targets returns the flags that compile for the device that the options ask for. If there are several, the compiler
// may not know what the first ones name, and the next ones run on the device, too.
func (in Installation) targets(ctx context.Context, options map[string]string) ([]compilerFlags, error) {
	own := options[optionCompileFlags]
	device := device(options)
	driver := driverOf(device)
	if onCPU(driver) {
		flags, err := compileFlags(defaultFlags(), own)
		return []compilerFlags{flags}, err
	}
	chosen, err := compileFlags(nil, own)
	if err != nil || chosen.choose(targetDeviceFlag, targetBackendsFlag) {
		return []compilerFlags{chosen}, err
	}
	var defaults []compilerFlags
	switch driver {
	case "vulkan", "metal":
		defaults = []compilerFlags{{"--" + targetDeviceFlag + "=" + driver}}
	case "cuda":
		defaults, err = in.gpuTargets(ctx, device, "cuda", "iree-cuda-target", chosen)
	case "hip":
		defaults, err = in.gpuTargets(ctx, device, "rocm", "iree-rocm-target", chosen)
	default:
		return nil, remedy.With(
			fmt.Errorf("option %s=%s: zonemark does not know how to compile for it", optionDevice, device),
			remedy.Remedy{Kind: remedy.Say, Name: optionCompileFlags, Value: "--" + targetDeviceFlag + "=… what the target is"},
			remedy.Remedy{Kind: remedy.Act, Value: "compile it elsewhere and name the .vmfb"})
	}
	var list []compilerFlags
	for _, d := range defaults {
		list = append(list, append(d, chosen...))
	}
	return list, err
}

// gpuTargets returns the flags for a GPU. The user may have chosen its architecture. Otherwise it is the one that the
// device reports and, for CUDA, also the older ones that a compiler may know instead.
func (in Installation) gpuTargets(
	ctx context.Context, device, backend, flag string, chosen compilerFlags,
) ([]compilerFlags, error) {
	base := compilerFlags{"--" + targetBackendsFlag + "=" + backend}
	if chosen.choose(flag) {
		return []compilerFlags{base}, nil
	}
	reported, err := in.architecture(ctx, device)
	if err != nil {
		return nil, err
	}
	var list []compilerFlags
	for _, name := range append([]string{reported}, olderThan(reported)...) {
		list = append(list, append(slices.Clone(base), "--"+flag+"="+name))
	}
	return list, nil
}

// olderThan returns the known architectures of CUDA that are older than this one, the newest first.
func olderThan(architecture string) (list []string) {
	digits, isCUDA := strings.CutPrefix(architecture, "sm_")
	n, err := strconv.Atoi(digits)
	if !isCUDA || err != nil {
		return nil
	}
	for _, older := range knownCUDA() {
		if older < n {
			list = append(list, "sm_"+strconv.Itoa(older))
		}
	}
	return list
}

// unknownTarget reports whether the compiler failed since it does not know the GPU that a flag names.
func unknownTarget(err error) bool { return strings.Contains(err.Error(), "missing GPU target") }
