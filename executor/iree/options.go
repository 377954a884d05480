package iree

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	taskDevice     = "local-task"
	taskThreadsMax = 64 // IREE_TASK_TOPOLOGY_MAX_GROUP_COUNT of the runtime's configuration
)

// taskThreads is the number of workers that the options ask for, 0 where that is left to the runtime.
func taskThreads(options map[string]string) (int, error) {
	value := options[optionTaskThreads]
	if value == "" {
		return 0, nil
	}
	if d := device(options); d != taskDevice {
		return 0, fmt.Errorf("option %s=%s: only the device %s has workers, not %s", optionTaskThreads, value, taskDevice, d)
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > taskThreadsMax {
		return 0, fmt.Errorf("option %s=%s: not a number from 1 to %d", optionTaskThreads, value, taskThreadsMax)
	}
	return n, nil
}

// parameterFiles are the paths of the files with parameters, by scope.
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
			return nil, fmt.Errorf("option %s=%s: %q names no file; write [SCOPE=]PATH", optionParameterFiles, value, one)
		}
		files[scope] = append(files[scope], path)
	}
	return files, nil
}
