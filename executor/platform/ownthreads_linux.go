package platform

import (
	"bytes"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// ThreadNumbers returns the system's numbers of the threads of this process.
func ThreadNumbers() map[int]bool {
	numbers := map[int]bool{}
	procNumbers(tasks, func(_, id int) { numbers[id] = true })
	return numbers
}

// ThreadOrigin says who has made a thread.
type ThreadOrigin int

// The origins of threads.
const (
	ThreadGone     ThreadOrigin = iota // it has ended
	ThreadOfGo                         // it waits in code of this program
	ThreadOfNative                     // it waits in other code, or does not wait
)

// OriginOf tells by the instruction at which a thread waits who has made it (proc_pid_syscall(5)). Threads of this
// program wait in Go's code most of the time, except one that is in a call of native code.
func OriginOf(thread int) ThreadOrigin {
	for range originLooks {
		fields := bytes.Fields(callOf(thread))
		if len(fields) == 0 {
			return ThreadGone
		}
		if at, err := strconv.ParseUint(string(fields[len(fields)-1]), 0, 64); err == nil {
			if runtime.FuncForPC(uintptr(at)) != nil {
				return ThreadOfGo
			}
			return ThreadOfNative
		}
		time.Sleep(runningPause) // the text is "running": it runs, or is ready to
	}
	return ThreadOfNative
}

// callOf returns the system call in which a thread waits, as proc_pid_syscall(5) says; "running" if it runs, or is ready to.
func callOf(thread int) []byte {
	return readProc(unix.AT_FDCWD, tasks+"/"+strconv.Itoa(thread)+"/syscall", make([]byte, 256))
}

const originLooks = 10 // at a thread that runs
