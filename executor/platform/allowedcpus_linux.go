package platform

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// AllowedCPUs returns the numbers of the CPUs that the process may use: those of all its threads together, since a
// thread may be pinned. It returns at least one.
func AllowedCPUs() (list []int) {
	var all unix.CPUSet
	for id := range Threads(nil) {
		var set unix.CPUSet
		if unix.SchedGetaffinity(id, &set) != nil {
			continue // it has ended
		}
		for i := range all {
			all[i] |= set[i]
		}
	}
	for i := range maxCPUs {
		if all.IsSet(i) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return firstCPUs(runtime.NumCPU())
	}
	return list
}
