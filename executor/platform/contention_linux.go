package platform

import "strconv"

// ReadContention returns what the system counts of the competition for CPUs.
func ReadContention() Contention {
	var text [256]byte
	busy, idle := parseBusy(readProc(0, "/proc/stat", text[:]))
	if busy == 0 {
		return Contention{}
	}
	c := Contention{Busy: busy, Idle: idle, Own: ProcessCPUTimeNS()}
	procNumbers(tasks, func(folder, id int) {
		var text [128]byte
		// Time on a CPU, time waiting for one, slices: Documentation/scheduler/sched-stats.rst.
		if waited, ok := number(readProc(folder, strconv.Itoa(id)+"/schedstat", text[:]), 1); ok {
			c.Waited += waited
		}
	})
	return c
}
