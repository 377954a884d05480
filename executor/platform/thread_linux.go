package platform

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const threadCPUClock = unix.CLOCK_THREAD_CPUTIME_ID

// maxCPUs is how many CPUs a unix.CPUSet can name.
const maxCPUs = 1024

// Pin locks the calling goroutine to its thread and the thread to one CPU. After an error neither is locked.
func Pin(cpu int) error {
	if cpu < 0 || cpu >= maxCPUs {
		return fmt.Errorf("pin to CPU %d: no such CPU%s", cpu, onlineCPUs())
	}
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	err := unix.SchedSetaffinity(0, &set)
	if err == nil {
		return nil
	}
	runtime.UnlockOSThread()
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("pin to CPU %d: it does not exist, is offline or is not allowed to this process%s: %w", cpu,
			onlineCPUs(), err)
	}
	return fmt.Errorf("pin to CPU %d: %w", cpu, err)
}

// CurrentCPU returns the CPU on which the calling thread runs. It reports false if the system does not tell.
func CurrentCPU() (cpu int, known bool) {
	var n uint32
	if _, _, err := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0); err != 0 {
		return 0, false
	}
	return int(n), true
}

// HoldPreemption keeps Go's own signal away from the calling thread, until restore is called on the same thread. Go
// asks a thread that has run for 10 ms to make way for others, and asks again, at first every 140 µs, as native code
// does not answer. Each time costs microseconds.
func HoldPreemption() (restore func()) {
	signals, before := unix.Sigset_t{Val: [16]uint64{1 << (unix.SIGURG - 1)}}, unix.Sigset_t{}
	if unix.PthreadSigmask(unix.SIG_BLOCK, &signals, &before) != nil {
		return func() {}
	}
	return func() {
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) // a mask that the thread has had
	}
}

// onlineCPUs returns a remark for error messages, or "" if sysfs cannot be read.
func onlineCPUs() string {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return ""
	}
	return "; online are " + strings.TrimSpace(string(b))
}

// ThreadUsage returns what the system has counted of the calling thread, or zeros if the system does not report it.
func ThreadUsage() Usage {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return Usage{}
	}
	return Usage{Involuntary: int64(u.Nivcsw), Voluntary: int64(u.Nvcsw), Faults: int64(u.Minflt + u.Majflt)}
}
