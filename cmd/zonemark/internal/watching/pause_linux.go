package watching

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// quickest is the pause between two looks at a process that is near a limit: short enough that it cannot take much of
	// a machine in between. calmest is for all others. Each look wakes threads of this process, which take the CPU from
	// native code where other work has the rest of the machine: with looks every 25 ms beside a busy loop, every other
	// call of 8 ms was interrupted.
	quickest = 25 * time.Millisecond
	calmest  = 250 * time.Millisecond
	// What a process can take in a second: memory by each processor, threads in all.
	bytesPerSecond   = 4 << 30
	threadsPerSecond = 100_000
)

// pause returns how long the process may be left alone: for half of the time in which it could take what its limits
// leave. threads is how many it has.
func (w *watch) pause(threads int64) time.Duration {
	l := w.limits
	switch {
	case l.Family:
		return familyEvery
	case w.waits():
		return calmest
	}
	pause := calmest
	if l.MemoryBytes > 0 {
		pause = min(pause, half(l.MemoryBytes-w.used, bytesPerSecond*int64(runtime.NumCPU())))
	}
	if soon := half(l.Threads-threads, threadsPerSecond); l.Threads > 0 && soon < pause && !w.threadsHeld() {
		pause = soon
	}
	return max(quickest, pause)
}

// half returns half of the time that it takes to take what is left.
func half(left, perSecond int64) time.Duration {
	return time.Duration(float64(left) / float64(perSecond) / 2 * float64(time.Second))
}

// threadsHeld reports whether the kernel holds the limit of threads, or one that is not much higher, as it does in a user
// namespace of the process's own.
func (w *watch) threadsHeld() bool {
	own, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(w.process.Pid), "ns/user"))
	ours, oursErr := os.Readlink("/proc/self/ns/user")
	var limit unix.Rlimit
	return err == nil && oursErr == nil && own != ours &&
		unix.Prlimit(w.process.Pid, unix.RLIMIT_NPROC, nil, &limit) == nil && limit.Max <= 2*uint64(w.limits.Threads)
}
