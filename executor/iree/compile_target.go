package iree

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/iree/targets"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// The flags of iree-compile that choose the devices that code is made for. One of them replaces the choice that
// zonemark makes.
const (
	targetDeviceFlag   = "iree-hal-target-device"
	targetBackendsFlag = "iree-hal-target-backends"
)

// devicesElsewhere has what compilers and other programs call devices that IREE runs on.
var devicesElsewhere = map[string]string{
	"cpu": "local-task", "host": "local-task", "local": "local-task", "llvm-cpu": "local-task", "x86": "local-task",
	"arm64": "local-task", "rocm": "hip", "amdgpu": "hip", "amd": "hip", "nvidia": "cuda", "vulkan-spirv": "vulkan",
	"metal-spirv": "metal", "sync": "local-sync", "cpu-sync": "local-sync", "task": "local-task", "cpu-task": "local-task",
}

// devices are those that zonemark compiles for.
var devices = []string{"local-sync", "local-task", "vulkan", "cuda", "hip", "metal"}

// anyGPU is what people call a device that IREE has three drivers for.
const anyGPU = "gpu"

// targets returns the flags that compile for the device that the options ask for. If there are several, the compiler
// may not know what the first ones name, and the next ones run on the device, too.
func (in Installation) targets(ctx context.Context, options map[string]string) ([]targets.Flags, error) {
	own := options[optionCompileFlags]
	device := device(options)
	driver := driverOf(device)
	if onCPU(driver) {
		flags, err := parseFlags(targets.Defaults(), own)
		return []targets.Flags{flags}, err
	}
	chosen, err := parseFlags(nil, own)
	if err != nil || chosen.Choose(targetDeviceFlag, targetBackendsFlag) {
		return []targets.Flags{chosen}, err
	}
	var defaults []targets.Flags
	switch driver {
	case "vulkan", "metal":
		defaults = []targets.Flags{{"--" + targetDeviceFlag + "=" + driver}}
	case "cuda":
		defaults, err = in.gpuTargets(ctx, device, "cuda", "iree-cuda-target", chosen)
	case "hip":
		defaults, err = in.gpuTargets(ctx, device, "rocm", "iree-rocm-target", chosen)
	default:
		if ours := cmp.Or(devicesElsewhere[driver], spelling.Nearest(driver, devices)); ours != "" {
			return nil, remedy.With(fmt.Errorf("option %s=%s: IREE calls this device %s", optionDevice, device, ours),
				remedy.Remedy{Kind: remedy.Instead, Name: device, Value: ours})
		}
		if driver == anyGPU {
			return nil, remedy.With(fmt.Errorf("option %s=%s: IREE has vulkan, cuda and hip for that", optionDevice, device),
				remedy.Remedy{Kind: remedy.Instead, Name: device, Value: "vulkan"})
		}
		return nil, remedy.With(
			fmt.Errorf("option %s=%s: zonemark does not know how to compile for it", optionDevice, device),
			remedy.Remedy{Kind: remedy.Say, Name: optionCompileFlags, Value: "--" + targetDeviceFlag + "=… what the target is"},
			remedy.Remedy{Kind: remedy.Act, Value: "compile it elsewhere and name the .vmfb"})
	}
	var list []targets.Flags
	for _, d := range defaults {
		list = append(list, append(d, chosen...))
	}
	return list, err
}

// parseFlags returns the default flags and those of the option for the compiler.
func parseFlags(defaults targets.Flags, option string) (targets.Flags, error) {
	flags, err := targets.Parse(defaults, option)
	if err != nil {
		return nil, fmt.Errorf("option %s: %w", optionCompileFlags, err)
	}
	return flags, nil
}

// gpuTargets returns the flags for a GPU. The user may have chosen its architecture. Otherwise it is the one that the
// device reports and, for CUDA, also the older ones that a compiler may know instead.
func (in Installation) gpuTargets(
	ctx context.Context, device, backend, flag string, chosen targets.Flags,
) ([]targets.Flags, error) {
	base := targets.Flags{"--" + targetBackendsFlag + "=" + backend}
	if chosen.Choose(flag) {
		return []targets.Flags{base}, nil
	}
	reported, err := in.architecture(ctx, device)
	if err != nil {
		return nil, err
	}
	var list []targets.Flags
	for _, name := range append([]string{reported}, targets.OlderThan(reported)...) {
		list = append(list, append(slices.Clone(base), "--"+flag+"="+name))
	}
	return list, nil
}

// unknownTarget reports whether the compiler failed since it does not know the GPU that a flag names.
func unknownTarget(err error) bool { return strings.Contains(err.Error(), "missing GPU target") }
