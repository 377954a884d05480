package platform

import (
	"bytes"
	"slices"

	"golang.org/x/sys/unix"
)

// ThreadClocks read the CPU time of some threads of this process, a system call each. One goroutine at a time uses them.
type ThreadClocks struct {
	ids  []int
	used []int64 // by each when it was read last: what threads have used that have ended
}

// NewThreadClocks returns the clocks of threads as Threads returns them, without that of the calling thread. It returns
// nil for nil: the system does not tell threads apart.
func NewThreadClocks(threads map[int]int64) *ThreadClocks {
	if threads == nil {
		return nil
	}
	c := &ThreadClocks{}
	for id, used := range threads {
		if id != unix.Gettid() {
			c.ids, c.used = append(c.ids, id), append(c.used, used)
		}
	}
	return c
}

// perThreadClock is that of clock ids for the scheduler's time of one thread (CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED
// of linux/posix-timers.h), below the number of the thread.
const perThreadClock = 4 | 2

// CPUTimeNS returns the CPU time that the threads have used, in nanoseconds.
func (c *ThreadClocks) CPUTimeNS() (sum int64) {
	for i, id := range c.ids {
		var ts unix.Timespec
		if unix.ClockGettime(int32(^id)<<3|perThreadClock, &ts) == nil {
			c.used[i] = ts.Nano()
		}
		sum += c.used[i]
	}
	return sum
}

// OthersReady reports whether a thread of this process runs, or waits for a CPU, that is neither one of these nor the
// calling one. On a busy machine, such a thread may have used no CPU time for a while.
func (c *ThreadClocks) OthersReady() bool {
	for id := range ThreadNumbers() {
		if id != unix.Gettid() && !slices.Contains(c.ids, id) && bytes.HasPrefix(callOf(id), []byte("running")) {
			return true
		}
	}
	return false
}
