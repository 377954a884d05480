package platform

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// State is what native code can change in its process and on its thread, and what changes the code that runs there
// later. ReadState reads it.
type State struct {
	values      []stateValue
	descriptors map[int]file // that are open
}

// file identifies an open file.
type file struct{ device, inode uint64 }

// stateValue is one part of a State.
type stateValue struct {
	name  string // for people, such as "the limit of open files"
	value string // comparable
}

// ReadState returns the state of this process and of the calling thread, which must be locked. It takes some hundred
// microseconds. A part that the system does not show is empty.
func ReadState() State {
	s := State{descriptors: openDescriptors()}
	s.add("the CPUs that it may use", func() any {
		var set unix.CPUSet
		return fmt.Sprint(unix.SchedGetaffinity(0, &set), set)
	})
	s.add("the scheduling of its thread", func() any {
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			return err
		}
		return *a
	})
	s.add("the priority of its input and output", func() any { return systemCall(unix.SYS_IOPRIO_GET, 1, 0) })
	s.add("the slack of its timers", func() any { return systemCall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0) })
	for _, l := range resourceLimits {
		s.add("the limit of "+l.name, func() any {
			var r unix.Rlimit
			return fmt.Sprint(unix.Getrlimit(l.resource, &r), r)
		})
	}
	s.add("the blocked signals", func() any {
		var mask uint64
		err := systemCall(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, 0, uintptr(unsafe.Pointer(&mask)), 8)
		return fmt.Sprint(err, mask)
	})
	for signal := range uintptr(64) {
		if signal == 31 || signal == 32 { // 32 and 33 belong to the C library, which handles them when it first must
			continue
		}
		s.add("the handling of signal "+strconv.Itoa(int(signal)+1), func() any {
			var action [4]uint64 // struct sigaction of the kernel (uapi asm/signal.h)
			err := systemCall(unix.SYS_RT_SIGACTION, signal+1, 0, uintptr(unsafe.Pointer(&action)), 8)
			return fmt.Sprint(err, action)
		})
	}
	for clock := range unix.ItimerWhich(3) {
		s.add("a timer", func() any {
			t, err := unix.Getitimer(clock)
			return fmt.Sprint(err, t.Value.Sec|t.Value.Usec|t.Interval.Sec|t.Interval.Usec != 0)
		})
	}
	s.add("a timer", func() any {
		text, err := os.ReadFile("/proc/self/timers")
		return fmt.Sprint(err, bytes.Count(text, []byte("ID:")))
	})
	s.add("the mask of the modes of new files", func() any { return statusLine("Umask:") })
	s.add("the working directory", func() any {
		path, err := unix.Getwd()
		return fmt.Sprint(err, path)
	})
	s.add("the control of floating-point arithmetic", func() any { return floatControl() })
	return s
}

func (s *State) add(name string, read func() any) {
	s.values = append(s.values, stateValue{name, fmt.Sprint(read())})
}

// Changes returns what differs in a later state, in words for people, and whether threads beside known ones have gone
// on running for a millisecond. It waits for that millisecond only if some seem to.
func (s State) Changes(later State, known map[int]int64) (changed []string) {
	for i, v := range later.values {
		if v.value != s.values[i].value && !slices.Contains(changed, v.name) {
			changed = append(changed, v.name)
		}
	}
	opened := 0
	for fd, now := range later.descriptors {
		if s.descriptors[fd] != now { // one that was closed disturbs nobody
			opened++
		}
	}
	if opened > 0 {
		changed = append(changed, fmt.Sprintf("%d descriptors that stay open", opened))
	}
	if busy := stillRunning(runningThreads(), known); busy > 0 {
		changed = append(changed, fmt.Sprintf("%d threads that go on running", busy))
	}
	return changed
}

// resourceLimits are the limits of setrlimit(2) that a process can lower.
var resourceLimits = []struct {
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

// systemCall returns the result of a harmless system call, or its error.
func systemCall(number uintptr, arguments ...uintptr) string {
	var a [6]uintptr
	copy(a[:], arguments)
	result, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno.Error()
	}
	return strconv.FormatUint(uint64(result), 10)
}

// statusLine returns a line of /proc/self/status (proc_pid_status(5)), empty if there is none.
func statusLine(name string) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(name)) {
			return string(line)
		}
	}
	return ""
}

// openDescriptors returns the open descriptors with the files to which they lead.
func openDescriptors() map[int]file {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	open := map[int]file{}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		var s unix.Stat_t
		if err != nil || unix.Fstat(fd, &s) != nil { // the folder's own is closed already
			continue
		}
		open[fd] = file{uint64(s.Dev), s.Ino}
	}
	return open
}

// runningThreads returns the threads that run or are ready to run, without the calling one.
func runningThreads() map[int]bool {
	const tasks = "/proc/self/task"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	running := map[int]bool{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || id == unix.Gettid() {
			continue
		}
		text, err := os.ReadFile(tasks + "/" + e.Name() + "/stat")
		if err == nil && threadState(text) == 'R' {
			running[id] = true
		}
	}
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
	runningLooks = 4 // at threads that seem to go on running
	runningPause = 300 * time.Microsecond
)

// stillRunning returns how many of the threads, without known ones, are found running each time for a millisecond. A
// thread that waits for work is not among them, so that the workers of runtimes do not count.
func stillRunning(threads map[int]bool, known map[int]int64) int {
	left := map[int]bool{}
	for id := range threads {
		if _, ours := known[id]; !ours {
			left[id] = true
		}
	}
	for look := 0; look < runningLooks && len(left) > 0; look++ {
		time.Sleep(runningPause)
		now := runningThreads()
		for id := range left {
			if !now[id] {
				delete(left, id)
			}
		}
	}
	return len(left)
}
