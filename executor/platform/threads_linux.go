package platform

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
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
// does not answer. Each time costs microseconds, and ends what native code waits for, such as usleep, with EINTR.
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
	return Usage{
		Involuntary: int64(u.Nivcsw), Voluntary: int64(u.Nvcsw), Faults: int64(u.Minflt + u.Majflt),
		SystemNS: u.Stime.Nano(),
	}
}

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
		used, ok := number(readProc(folder, strconv.Itoa(id)+"/schedstat", text[:]), 0)
		if ok { // a thread that has ended in the meantime has no file
			threads[id] = used
		}
	})
	if !opened {
		return nil
	}
	return threads
}

// number returns a number of a text, counted from 0.
func number(b []byte, i int) (int64, bool) {
	fields := bytes.Fields(b)
	if len(fields) <= i {
		return 0, false
	}
	n, err := strconv.ParseInt(string(fields[i]), 10, 64)
	return n, err == nil
}

// background keeps the threads of this process, and those that they start, from taking the CPU of another thread when
// they wake: they get the policy SCHED_BATCH (sched(7)), with the same share of CPU time as before. Threads of Go's
// runtime wake a thousand times a second. A thread with another policy than SCHED_OTHER keeps it. Only the first call
// does something.
var background = sync.OnceFunc(func() {
	for changed := true; changed; { // a thread may start another one meanwhile
		changed = false
		procNumbers(tasks, func(_, id int) { changed = setPolicy(id, unix.SCHED_NORMAL, unix.SCHED_BATCH) || changed })
		changedPolicy = changedPolicy || changed
	}
})

var changedPolicy bool // by background

// Slack of timers, in nanoseconds: how much later than asked for they may expire; see PR_SET_TIMERSLACK(2const).
const (
	looseTimers = 5_000_000
	usualTimers = 50_000
)

// LoosenTimers has timers of the threads of processes that the calling thread starts, which must be locked, expire up to
// some milliseconds late, so that the system can join them: Go's monitor sleeps for 20 µs again and again, and each of its
// timers interrupts what its CPU does. Foreground ends that for a thread.
func LoosenTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, looseTimers, 0, 0, 0) } // it fails on old kernels only

// Foreground gives the threads of this process the policy of background, and the calling thread, which must be locked,
// the one that it had before. Its timers expire when they usually do. What it starts has that, too.
func Foreground() {
	if background(); changedPolicy {
		setPolicy(0, unix.SCHED_BATCH, unix.SCHED_NORMAL)
	}
	if slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil && slack == looseTimers {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, usualTimers, 0, 0, 0)
	}
}

// setPolicy changes the policy of a thread, 0 for the calling one, if it is from, and reports whether it did.
func setPolicy(thread int, from, to uint32) bool {
	a, err := unix.SchedGetAttr(thread, 0)
	if err != nil || a.Policy != from {
		return false
	}
	a.Policy = to
	return unix.SchedSetAttr(thread, a, 0) == nil
}

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

// tasks is the folder with a folder for each thread of this process, named by its number.
const tasks = "/proc/self/task"

// readProc reads a file of the kernel, below an open folder unless the path is absolute. It returns what fits into the
// buffer, and nothing if the file cannot be read. It makes fewer system calls than os.ReadFile, which prepares for files
// on which a read waits.
func readProc(folder int, path string, buffer []byte) []byte {
	fd, err := unix.Openat(folder, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buffer)
	if err != nil {
		return nil
	}
	return buffer[:n]
}

// procNumbers calls visit with each entry of a folder of the kernel that is a number, and with the open folder. Names
// that it has read before an error are visited. It reports whether the folder could be opened.
func procNumbers(path string, visit func(folder, number int)) (opened bool) {
	folder, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(folder)
	var buffer [4 << 10]byte
	names := make([]string, 0, 32)
	for {
		n, err := unix.ReadDirent(folder, buffer[:])
		if err != nil || n <= 0 {
			return true
		}
		_, _, names = unix.ParseDirent(buffer[:n], -1, names[:0])
		for _, name := range names {
			if number, err := strconv.Atoi(name); err == nil {
				visit(folder, number)
			}
		}
	}
}
