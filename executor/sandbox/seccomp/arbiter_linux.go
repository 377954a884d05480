package seccomp

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Notification is struct seccomp_notif (linux/seccomp.h): a system call that waits for an answer.
type Notification struct {
	ID      uint64
	PID     uint32
	Flags   uint32
	Number  int32
	Arch    uint32
	Address uint64
	Args    [6]uint64
}

// response is struct seccomp_notif_resp (linux/seccomp.h): the answer.
type response struct {
	ID    uint64
	Value int64
	Error int32 // a negative errno, 0 for none
	Flags uint32
}

// SealWithArbiter installs the filter together with an arbiter: a thread that decides for as long as the process lives
// whether a thread number in a system call is one of this process. The filter cannot decide that, and runtimes bind
// their threads to CPUs by these numbers.
//
// The arbiter has a table of descriptors of its own. Native code can thus not answer in its place.
//
// The arbiter also refuses the named calls, and notes them. In a supervised process it makes the calls about files.
func SealWithArbiter(p []unix.SockFilter, noted *Refusals) error {
	sealed := make(chan error)
	offFirstThread(func() {
		listener, err := listen(p)
		sealed <- err
		if err == nil {
			arbitrate(listener, noted)
		}
	})
	err := <-sealed
	if err == nil {
		readyThreads(spareThreads)
	}
	return err
}

// spareThreads are enough for the arbiter, however many processors there are: its goroutine takes an idle one itself. The
// stack of each thread counts to the limit of memory.
const spareThreads = 3

// readyThreads has Go's scheduler make n threads, which then wait for work. The arbiter's goroutine may need one before
// it goes on, and a thread cannot be made while the call that waits for its answer holds what that takes: fork holds all
// locks of malloc.
func readyThreads(n int) {
	var begun, ended sync.WaitGroup
	end := make(chan struct{})
	begun.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // so that each has a thread
			defer runtime.UnlockOSThread()
			begun.Done()
			<-end
		})
	}
	begun.Wait()
	close(end)
	ended.Wait()
}

// offFirstThread calls f in a goroutine that keeps its thread for ever, and whose thread is not the first one of the
// process. The kernel shows the first thread's table of descriptors as that of the process. If that were the arbiter's,
// nobody would see what native code opens, such as files without a name that take memory.
func offFirstThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			f()
			return
		}
		begun := make(chan struct{})
		go func() { // not on the first thread, which waits
			runtime.LockOSThread()
			close(begun)
			f()
		}()
		<-begun
		runtime.UnlockOSThread()
	}()
}

// listen installs the filter and returns the descriptor from which the system calls come that it does not decide. It
// needs Linux 5.7.
func listen(p []unix.SockFilter) (int, error) {
	if err := unix.Unshare(unix.CLONE_FILES); err != nil {
		return -1, fmt.Errorf("seccomp: a table of descriptors for the arbiter: %w", err)
	}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
	// A signal then does not make a caller ask again for what the arbiter is doing for it already (Linux 5.19).
	if listener, err := Load(p, flags|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV); err == nil {
		return listener, nil
	}
	return Load(p, flags)
}

// arbitrate answers system calls of this process.
func arbitrate(listener int, noted *Refusals) {
	names, files := Named(), supervised()
	AnswerEach(listener, func(n *Notification) unix.Errno {
		if call, about := files[uint32(n.Number)]; about {
			return noted.file(listener, n, call)
		}
		switch name := names[uint32(n.Number)]; {
		case name != "":
			noted.Add(name, "", false)
		case ownThread(n.subject()):
			return GoOn
		}
		return unix.EPERM
	})
}

// GoOn lets a system call go on instead of giving it a result. Only calls whose arguments are no pointers may.
const GoOn = ^unix.Errno(0)

// Answered is the outcome of a system call that has its answer already, or gets it later, while others are answered.
const Answered = GoOn - 1

// AnswerEach answers system calls until the descriptor fails. The kernel refuses the calls that wait then.
func AnswerEach(listener int, outcome func(*Notification) unix.Errno) {
	for {
		var n Notification
		if errno := seccompIoctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno != 0 {
			if errno == unix.EINTR || errno == unix.ENOENT { // the calling thread has ended
				continue
			}
			return
		}
		if errno := outcome(&n); errno != Answered {
			n.Answer(listener, errno)
		}
	}
}

// Answer gives a system call its outcome.
func (n *Notification) Answer(listener int, errno unix.Errno) {
	r := response{ID: n.ID}
	if errno == GoOn {
		r.Flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	} else {
		r.Error = -int32(errno)
	}
	seccompIoctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // it fails if the caller has ended
}

// Waits reports whether the caller waits for the answer. It does not any more if it was killed, or interrupted by a
// signal; the kernel may then make the call anew.
func (n *Notification) Waits(listener int) bool {
	return seccompIoctl(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.ID)) == 0
}

// subject returns the number of the thread that the call is about.
func (n *Notification) subject() uint32 {
	switch n.Number {
	case unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET:
		return uint32(n.Args[1])
	}
	return uint32(n.Args[0])
}

// ownThread reports whether this process has a thread with this number.
func ownThread(id uint32) bool {
	return unix.Access("/proc/self/task/"+strconv.FormatUint(uint64(id), 10), unix.F_OK) == nil
}

func seccompIoctl(fd int, request uintptr, argument unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno
}
