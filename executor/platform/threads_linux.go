package platform

import (
	"bytes"
	"os"
	"strconv"
)

// Threads returns the threads of this process by their numbers, without known ones, and with the CPU time that each has
// used, in nanoseconds. It returns nil if the system does not report them.
func Threads(known map[int]int64) map[int]int64 {
	const tasks = "/proc/self/task"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	threads := map[int]int64{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if _, is := known[id]; is || err != nil {
			continue
		}
		// Time on a CPU, time waiting for one, slices: Documentation/scheduler/sched-stats.rst.
		b := readProc(tasks + "/" + e.Name() + "/schedstat")
		if used, ok := firstNumber(b); ok { // a thread that has ended in the meantime has no file
			threads[id] = used
		}
	}
	return threads
}

func firstNumber(b []byte) (int64, bool) {
	fields := bytes.Fields(b)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return n, err == nil
}
