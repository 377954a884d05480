package iree

import (
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/iree/targets"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// The keys of invocations.Artifact.Options.
const (
	OptionProvider       = "provider"        // one of the names below; auto if left out
	optionDevice         = "device"          // local-sync if left out
	optionTaskThreads    = "task-threads"    // workers of local-task
	optionCompileFlags   = "compile-flags"   // flags of iree-compile, separated by spaces
	optionParameterFiles = "parameter-files" // [SCOPE=]PATH, separated by commas
	optionDimensions     = "dims"            // NAME=SIZE, separated by spaces
	optionModules        = "module"          // paths of .vmfb or .mlir files, separated by commas
)

// The ways of running a module: values of OptionProvider.
const (
	ProviderAuto     = "auto"
	ProviderCAPI     = "capi"
	ProviderPython   = "python"
	ProviderDispatch = "dispatch"
)

// Options returns the options of IREE modules.
func Options() []invocations.Option {
	return []invocations.Option{
		{Name: OptionProvider, Placeholder: "name",
			Usage: "how IREE modules are run: auto, capi (C API), python (the wheels), dispatch (single dispatches " +
				"without a runtime)"},
		{Name: optionDevice, Placeholder: "name",
			Usage: "device of IREE modules: local-sync, local-task, or another that the runtime has"},
		{Name: optionTaskThreads, Placeholder: "n", Usage: "workers of the device local-task"},
		{Name: optionCompileFlags, Placeholder: "flags", Foreign: targets.CheckForeign,
			Usage: "flags of iree-compile for MLIR, separated by spaces"},
		{Name: optionParameterFiles, Placeholder: "files", Kind: invocations.ScopedFilesOption,
			Usage: "[SCOPE=]PATH of .irpa, .gguf or .safetensors files with parameters of IREE modules, separated by " +
				"commas"},
		{Name: optionModules, Placeholder: "files", Kind: invocations.ScopedFilesOption,
			Usage: "modules (.vmfb, .mlir) that IREE modules call, separated by commas, each before those that call it"},
		{Name: optionDimensions, Placeholder: "sizes",
			Usage:       "sizes of the open dimensions of ONNX models, NAME=SIZE separated by spaces; --dim gives one",
			SpacedNames: true, Repeatable: "dim", RepeatableUsage: "size of an open dimension of ONNX models, such as batch=1; one without " +
				"a name is INPUT.AXIS; repeatable"},
	}
}

const (
	taskDevice     = "local-task"
	maxTaskThreads = 64 // IREE_TASK_TOPOLOGY_MAX_GROUP_COUNT of the runtime's configuration
)

// taskThreads returns the number of workers that the options ask for, or 0 if the runtime shall choose it.
func taskThreads(options map[string]string) (int, error) {
	value := options[optionTaskThreads]
	if value == "" {
		return 0, nil
	}
	if d := device(options); d != taskDevice {
		return 0, remedy.With(fmt.Errorf("option %s=%s: only the device %s has workers, not %s",
			optionTaskThreads, value, taskDevice, d), remedy.Remedy{Kind: remedy.Choose, Name: optionDevice, Value: taskDevice})
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxTaskThreads {
		return 0, fmt.Errorf("option %s=%s: not a number from 1 to %d", optionTaskThreads, value, maxTaskThreads)
	}
	return n, nil
}

// moduleFiles returns the paths of the modules that a module calls, in the order in which they are loaded.
func moduleFiles(options map[string]string) []string {
	if options[optionModules] == "" {
		return nil
	}
	return strings.Split(options[optionModules], ",")
}

// parameterFiles returns the paths of the parameter files, by scope.
func parameterFiles(options map[string]string) (map[string][]string, error) {
	files := map[string][]string{}
	value := options[optionParameterFiles]
	if value == "" {
		return files, nil
	}
	for one := range strings.SplitSeq(value, ",") {
		scope, path, found := strings.Cut(one, "=")
		if !found {
			scope, path = "", one
		}
		if path == "" {
			return nil, fmt.Errorf("option %s=%s: %q names no file; write [SCOPE=]PATH",
				optionParameterFiles, value, one)
		}
		files[scope] = append(files[scope], path)
	}
	return files, nil
}
