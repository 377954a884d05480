package iree

import (
	"fmt"
	"strconv"
)

const (
	taskDevice = "local-task"
	// taskThreadsMax is IREE_TASK_TOPOLOGY_MAX_GROUP_COUNT of the runtime's configuration.
	taskThreadsMax = 64
)

// taskThreads is the number of workers that the options ask for, 0 where that is left to the runtime.
func taskThreads(options map[string]string) (int, error) {
	value := options[optionTaskThreads]
	if value == "" {
		return 0, nil
	}
	if d := device(options); d != taskDevice {
		return 0, fmt.Errorf("%s %q: only the device %s has workers, not %s", optionTaskThreads, value, taskDevice, d)
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > taskThreadsMax {
		return 0, fmt.Errorf("%s %q: give a number from 1 to %d", optionTaskThreads, value, taskThreadsMax)
	}
	return n, nil
}
