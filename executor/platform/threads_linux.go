package platform

import (
	"bytes"
	"strconv"
)

// Threads returns the threads of this process by their numbers, without known ones, and with the CPU time that each has
// used, in nanoseconds. It returns nil if the system does not report them.
func Threads(known map[int]int64) map[int]int64 {
	threads := map[int]int64{}
	opened := procNumbers(tasks, func(folder, id int) {
		if _, is := known[id]; is {
			return
		}
		// Time on a CPU, time waiting for one, slices: Documentation/scheduler/sched-stats.rst.
		var text [128]byte
		used, ok := firstNumber(readProc(folder, strconv.Itoa(id)+"/schedstat", text[:]))
		if ok { // a thread that has ended in the meantime has no file
			threads[id] = used
		}
	})
	if !opened {
		return nil
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
