package executors

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// threadTimes returns the CPU time in nanoseconds of each thread of a process, by its number, as the system tells it. It
// returns nil if the system does not.
func threadTimes(pid int) map[int]int64 {
	folder := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	times := map[int]int64{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name(), "schedstat"))
		if err != nil { // it has ended
			continue
		}
		first, _, _ := bytes.Cut(text, []byte(" "))
		if ns, err := strconv.ParseInt(string(first), 10, 64); err == nil {
			times[id] = ns
		}
	}
	return times
}
