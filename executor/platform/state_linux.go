package platform

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// State is what native code can change in its process and on its thread, and what changes the code that runs there
// later. ReadState reads it.
type State struct {
	stateValues
	descriptors map[int]file // that are open
	full        bool         // no further one can be opened, so that parts of the state cannot be read
}

// stateValues are the parts of a State that are compared as they are. A part that the system does not show is zero.
type stateValues struct {
	cpus        unix.CPUSet
	schedule    unix.SchedAttr
	ioPriority  uintptr
	timerSlack  uintptr
	limits      [16]unix.Rlimit // of resourceLimits
	blocked     uint64          // signals
	actions     actions
	timers      [3]bool // of setitimer(2)
	posixTimers int
	umask       string
	filters     string // how many filters its system calls pass
	folder      string
	float       uint64
	sticky      sticky
	memory      memoryPolicy
	stack       alternateStack
}

// file identifies an open file.
type file struct{ device, inode uint64 }

// ReadState returns the state of this process and of the calling thread, which must be locked. It takes about a hundred
// microseconds.
func ReadState() State {
	s := State{}
	s.descriptors, s.full = openDescriptors()
	var text [8 << 10]byte
	_ = unix.SchedGetaffinity(0, &s.cpus)
	if a, err := unix.SchedGetAttr(0, 0); err == nil {
		s.schedule = *a
	}
	s.ioPriority, _, _ = unix.RawSyscall(unix.SYS_IOPRIO_GET, 1, 0, 0)
	s.timerSlack, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0)
	for i, l := range resourceLimits {
		_ = unix.Getrlimit(l.resource, &s.limits[i])
	}
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, 0, uintptr(unsafe.Pointer(&s.blocked)), 8, 0, 0)
	s.actions = readActions()
	for clock := range s.timers {
		if t, err := unix.Getitimer(unix.ItimerWhich(clock)); err == nil {
			s.timers[clock] = t.Value.Sec|t.Value.Usec|t.Interval.Sec|t.Interval.Usec != 0
		}
	}
	s.posixTimers = bytes.Count(readProc(unix.AT_FDCWD, "/proc/self/timers", text[:]), []byte("ID:"))
	// By its number, as the sandbox may have another thread open the file.
	status := readProc(unix.AT_FDCWD, tasks+"/"+strconv.Itoa(unix.Gettid())+"/status", text[:])
	s.umask, s.filters = statusValue(status, "Umask"), statusValue(status, "Seccomp_filters")
	s.folder, _ = unix.Getwd()
	s.float = floatControl()
	s.sticky, s.memory, s.stack = readSticky(), readMemoryPolicy(), readAlternateStack()
	return s
}

// actions are those of signals, by number: struct sigaction of the kernel (uapi asm/signal.h).
type actions [65][4]uint64

func readActions() (a actions) {
	for signal := range a {
		if signal != 32 && signal != 33 { // these belong to the C library, which handles them when it first must
			unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal), 0, uintptr(unsafe.Pointer(&a[signal])), 8, 0, 0)
		}
	}
	return a
}

// KeepActions calls f, and gives signals whose actions have changed meanwhile their former ones.
func KeepActions(f func()) {
	before := readActions()
	f()
	for signal, now := range readActions() {
		if now != before[signal] {
			unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&before[signal])), 0, 8, 0, 0)
		}
	}
}

// Changes returns what differs in a later state, in words for people, and whether threads beside known ones have gone
// on running for a millisecond. It waits for that millisecond only if some seem to.
func (s State) Changes(later State, known map[int]int64) (changed []string) {
	if later.full && !s.full {
		later.umask, later.posixTimers = s.umask, s.posixTimers // nothing is known of them
		changed = append(changed, "the table of descriptors, which is full")
	}
	changed = append(changed, s.stateValues.changes(&later.stateValues)...)
	opened := 0
	for fd, now := range later.descriptors {
		if s.descriptors[fd] != now { // one that was closed disturbs nobody
			opened++
		}
	}
	if opened > 0 {
		changed = append(changed, fmt.Sprintf("%d descriptors that stay open", opened))
	}
	if busy := stillRunning(runningThreads(known), lookAtThreads(known)); busy > 0 {
		changed = append(changed, fmt.Sprintf("%d threads that go on running", busy))
	}
	return changed
}

// changes names what differs.
func (s *stateValues) changes(later *stateValues) (changed []string) {
	if *s == *later {
		return nil
	}
	add := func(differs bool, name string) {
		if differs {
			changed = append(changed, name)
		}
	}
	add(s.cpus != later.cpus, "the CPUs that it may use")
	add(s.schedule != later.schedule, "the scheduling of its thread")
	add(s.ioPriority != later.ioPriority, "the priority of its input and output")
	add(s.timerSlack != later.timerSlack, "the slack of its timers")
	for i, l := range resourceLimits {
		add(s.limits[i] != later.limits[i], "the limit of "+l.name)
	}
	add(s.blocked != later.blocked, "the blocked signals")
	for signal := range s.actions {
		add(s.actions[signal] != later.actions[signal], "the handling of signal "+strconv.Itoa(signal))
	}
	add(s.timers != later.timers || s.posixTimers != later.posixTimers, "a timer")
	add(s.umask != later.umask, "the mask of the modes of new files")
	add(s.folder != later.folder, "the working directory")
	add(s.float != later.float, "the control of floating-point arithmetic")
	for i, name := range stickyNames {
		add(s.sticky[i] != later.sticky[i], name)
	}
	add(s.memory != later.memory, "where its memory comes from")
	add(s.stack != later.stack, "the stack of its signal handlers")
	add(s.filters != later.filters && later.filters != "", "a filter of system calls")
	return changed
}

// resourceLimits are the limits of setrlimit(2) that a process can lower.
var resourceLimits = [len(stateValues{}.limits)]struct {
	name     string
	resource int
}{
	{"CPU time", unix.RLIMIT_CPU}, {"file size", unix.RLIMIT_FSIZE}, {"data memory", unix.RLIMIT_DATA},
	{"stack size", unix.RLIMIT_STACK}, {"core files", unix.RLIMIT_CORE}, {"resident memory", unix.RLIMIT_RSS},
	{"threads", unix.RLIMIT_NPROC}, {"open files", unix.RLIMIT_NOFILE}, {"locked memory", unix.RLIMIT_MEMLOCK},
	{"address space", unix.RLIMIT_AS}, {"file locks", unix.RLIMIT_LOCKS},
	{"pending signals", unix.RLIMIT_SIGPENDING}, {"message queues", unix.RLIMIT_MSGQUEUE},
	{"niceness", unix.RLIMIT_NICE}, {"real-time priority", unix.RLIMIT_RTPRIO},
	{"real-time CPU time", unix.RLIMIT_RTTIME},
}

// openDescriptors returns the open descriptors with the files to which they lead. It reports whether there are as many as
// there may be; then it cannot find out which.
func openDescriptors() (open map[int]file, full bool) {
	if fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
		unix.Close(fd)
	} else if errors.Is(err, unix.EMFILE) {
		return nil, true
	}
	open = map[int]file{}
	procNumbers("/proc/self/fd", func(folder, fd int) {
		var s unix.Stat_t
		if fd != folder && unix.Fstat(fd, &s) == nil {
			open[fd] = file{uint64(s.Dev), s.Ino}
		}
	})
	return open, false
}

// runningThreads returns the threads that run or are ready to run, without the calling one and known ones.
func runningThreads(known map[int]int64) map[int]bool {
	running := map[int]bool{}
	procNumbers(tasks, func(folder, id int) {
		if _, ours := known[id]; ours || id == unix.Gettid() {
			return
		}
		var text [2 << 10]byte
		if threadState(readProc(folder, strconv.Itoa(id)+"/stat", text[:])) == 'R' {
			running[id] = true
		}
	})
	return running
}

// threadState returns the letter of the state in the text of /proc/PID/task/TID/stat (proc_pid_stat(5)): the number,
// the name in parentheses, in which every byte may occur, and the letter.
func threadState(text []byte) byte {
	end := bytes.LastIndexByte(text, ')')
	if end < 0 || end+2 >= len(text) {
		return 0
	}
	return text[end+2]
}

const (
	runningPause = 300 * time.Microsecond // between two looks at threads that seem to go on running
	runningLooks = 1000
	runningNS    = 1e6 // CPU time after which a thread goes on running
)

// stillRunning returns how many of the threads are found running each time, until they have used the CPU for a
// millisecond. A thread that waits for work is not among them, so that the workers of runtimes do not count; nor is one
// that would wait for work, but has no CPU for that on a busy machine. look returns the threads that run, and the CPU
// time of each.
func stillRunning(threads map[int]bool, look func() (running map[int]bool, used map[int]int64)) (n int) {
	if len(threads) == 0 {
		return 0
	}
	_, before := look()
	for looks := 0; looks < runningLooks && len(threads) > 0; looks++ {
		running, used := look()
		maps.DeleteFunc(threads, func(id int, _ bool) bool {
			if running[id] && used[id]-before[id] >= runningNS {
				n++
				return true
			}
			return !running[id]
		})
	}
	return n
}

// lookAtThreads returns a function for stillRunning that looks at the threads of this process, without known ones, after
// a pause.
func lookAtThreads(known map[int]int64) func() (running map[int]bool, used map[int]int64) {
	return func() (running map[int]bool, used map[int]int64) {
		time.Sleep(runningPause)
		return runningThreads(known), Threads(known)
	}
}
