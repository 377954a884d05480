//go:build amd64 || arm64

// Package threads has all threads of a process make system calls, such as those that confine a thread and what it starts.
package threads

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"zonemark/executor/sandbox/signals"

	"golang.org/x/sys/unix"
)

// errand is what a thread is sent to do: the calls, in order, up to the first that fails. The assembly knows the layout.
type errand struct {
	calls *Call
	count uintptr
	errno uintptr // of the call that failed
	done  uint32  // a futex: not 0 when the thread has made the calls
}

// queuedInfo is siginfo_t (asm-generic/siginfo.h) of a signal with a value.
type queuedInfo struct {
	signal, errno, code, _ int32
	process, user          int32
	value                  unsafe.Pointer
	_                      [96]byte
}

const (
	// errandSignal takes errands to threads. Go's runtime unblocks it in all of its threads, and nobody uses it.
	errandSignal = unix.SIGSTKFLT
	errandTime   = 5 * time.Second       // in which every thread must have made the calls
	errandLook   = 10 * time.Millisecond // between two looks whether a thread still lives

	queued     = -1                            // SI_QUEUE of asm-generic/siginfo.h
	errandMode = 0x4 | 0x08000000 | 0x10000000 // SA_SIGINFO, SA_ONSTACK, SA_RESTART of asm-generic/signal-defs.h

	futexWait = 0x80 // FUTEX_WAIT, FUTEX_PRIVATE_FLAG of linux/futex.h
)

// tasks has an entry for each thread of this process.
const tasks = "/proc/self/task"

// namespaceIDs begins the line of a thread's status that has its numbers, one for each namespace of processes from that
// of /proc to its own.
const namespaceIDs = "NSpid:"

// Addresses of the assembly.
var errandEntry, restorerEntry uintptr

// Others makes system calls in every thread of this process but the calling one, which is locked and has made them.
// Calls that confine belong to a thread, which passes them on only to the threads that it starts; Go's runtime has
// started some before main. It returns the first error, and an error if a thread does not respond.
//
// A signal takes the calls to a thread. Go's AllThreadsSyscall does the same, but refuses to in a binary with purego.
func Others(calls []Call) error {
	defer runtime.KeepAlive(calls)
	previous, err := handleErrands()
	if err != nil {
		return err
	}
	if err := sendAll(calls, time.Now().Add(errandTime)); err != nil {
		keep(calls) // a thread may still get the signal, so its action stays, too
		return err
	}
	_, err = signals.Exchange(errandSignal, previous)
	return err
}

// Outcomes has each thread of this process make system calls, also the calling one, and returns how they have ended in
// each that has made them. It tells tests whether all threads are confined alike.
func Outcomes(calls []Call) (outcomes []error, err error) {
	defer runtime.KeepAlive(calls)
	previous, err := handleErrands()
	if err != nil {
		return nil, err
	}
	all, _, err := list()
	for _, thread := range all {
		s := send(thread, calls)
		if err := s.wait(time.Now().Add(errandTime)); err != nil || s.made() {
			outcomes = append(outcomes, err) // not of a thread that has ended
		}
	}
	_, restored := signals.Exchange(errandSignal, previous)
	return outcomes, errors.Join(err, restored)
}

// handleErrands makes threads take errands, and returns the action of the signal before.
func handleErrands() (previous signals.Action, err error) {
	return signals.Exchange(errandSignal, signals.Action{
		Handler: errandEntry, Flags: errandMode | restorerFlag, Restorer: restorerEntry, Mask: ^uint64(0),
	})
}

// list returns the threads of this process by the numbers that they have in its own namespace of processes, and how many
// /proc has, some of which may have ended. That of a namespace outside has other numbers.
func list() (threads []int, entries int, err error) {
	all, err := os.ReadDir(tasks)
	if err != nil {
		return nil, 0, fmt.Errorf("the threads of this process are not known: %w", err)
	}
	own, err := os.Readlink("/proc/self")
	if err != nil {
		return nil, 0, fmt.Errorf("the threads of this process are not known: %w", err)
	}
	inside := own != strconv.Itoa(os.Getpid())
	for _, t := range all {
		number := t.Name()
		if inside {
			status, err := os.ReadFile(filepath.Join(tasks, number, "status"))
			if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) { // it has ended
				continue
			}
			if err != nil {
				return nil, 0, fmt.Errorf("thread %s of this process: %w", number, err)
			}
			number = numberInside(string(status))
		}
		id, err := strconv.Atoi(number)
		if err != nil {
			return nil, 0, fmt.Errorf("thread %s of this process has no number in its namespace", t.Name())
		}
		threads = append(threads, id)
	}
	return threads, len(all), nil
}

// numberInside returns the number of a thread in its own namespace, by its status; nothing if it is not there.
func numberInside(status string) string {
	for line := range strings.Lines(status) {
		if numbers, is := strings.CutPrefix(line, namespaceIDs); is {
			if words := strings.Fields(numbers); len(words) > 0 {
				return words[len(words)-1]
			}
		}
	}
	return ""
}

// sendAll sends every thread but the calling one, all that it knows at once, and waits for them. It is through when it
// knows as many threads as the kernel counts: one that is new by then was started by one that had made the calls. One
// that the kernel does not find has ended, and counts for as long as it is listed.
func sendAll(calls []Call, deadline time.Time) error {
	known := map[int]bool{unix.Gettid(): true}
	for time.Now().Before(deadline) {
		threads, entries, err := list()
		if err != nil {
			return err
		}
		var sent []*sentErrand
		for _, t := range threads {
			if !known[t] {
				known[t] = true
				sent = append(sent, send(t, calls))
			}
		}
		for i, s := range sent {
			if err := s.wait(deadline); err != nil {
				keep(sent[i:])                                                  // these may still be on their way
				if k := slices.IndexFunc(sent, (*sentErrand).refused); k >= 0 { // it tells more than silence
					s, err = sent[k], unix.Errno(sent[k].errno)
				}
				return fmt.Errorf("thread %d of this process: %w", s.thread, err)
			}
			if !s.made() {
				delete(known, s.thread)
			}
		}
		var s unix.Stat_t
		if err := unix.Stat(tasks, &s); err != nil {
			return fmt.Errorf("the threads of this process are not known: %w", err)
		}
		if len(sent) == 0 && int(s.Nlink) == entries+2 { // the kernel counts . and .. as well
			return nil
		}
	}
	return errors.New("this process goes on starting threads, or has one that cannot be reached")
}

// keep keeps x in the heap and alive for ever.
func keep(x any) {
	go func() {
		<-make(chan struct{})
		runtime.KeepAlive(x)
	}()
}

// sentErrand is an errand that was sent to a thread.
type sentErrand struct {
	errand
	thread int
	err    error // of sending
}

// send has a thread make the calls.
func send(thread int, calls []Call) *sentErrand {
	s := &sentErrand{errand: errand{calls: unsafe.SliceData(calls), count: uintptr(len(calls))}, thread: thread}
	pid := os.Getpid()
	info := queuedInfo{signal: int32(errandSignal), code: queued, process: int32(pid), value: unsafe.Pointer(&s.errand)}
	_, _, errno := unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), uintptr(thread), uintptr(errandSignal),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		s.err = errno
	}
	return s
}

// refused reports whether the thread has made the calls and one of them failed.
func (s *sentErrand) refused() bool { return s.made() && s.errno != 0 }

// made reports whether the thread has made the calls, up to the first that failed.
func (s *sentErrand) made() bool { return atomic.LoadUint32(&s.done) != 0 }

// wait waits until the thread has made the calls, or has ended.
func (s *sentErrand) wait(deadline time.Time) error {
	pid := uintptr(os.Getpid())
	look := unix.NsecToTimespec(int64(errandLook))
	for s.err == nil && !s.made() {
		if !time.Now().Before(deadline) {
			return errors.New("it does not respond to signals")
		}
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.done)), futexWait, 0, uintptr(unsafe.Pointer(&look)), 0, 0)
		if _, _, errno := unix.RawSyscall(unix.SYS_TGKILL, pid, uintptr(s.thread), 0); errno != 0 {
			s.err = errno
		}
	}
	if s.err != nil && s.err != unix.ESRCH { // it has ended
		return s.err
	}
	if s.errno != 0 {
		return unix.Errno(s.errno)
	}
	return nil
}
