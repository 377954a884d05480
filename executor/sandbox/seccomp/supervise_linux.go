//go:build amd64 || arm64

package seccomp

import (
	"bytes"
	"errors"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock and read-only mounts tell nobody but the caller what they refuse. In a supervised process, the arbiter makes
// the calls about files in place of their callers, and so sees how they end.

// fileCall is a system call about a path, as the arbiter makes it.
type fileCall struct {
	name    string
	folders []int // positions of arguments that are descriptors of folders
	path    int   // position of the path
	flags   int   // position of the flags of a call that opens a file; -1: it opens none
	opens   int   // flags of a call that opens a file and has none; 0: see flags
}

// opening reports whether the call returns a descriptor, and its flags.
func (c *fileCall) opening(n *Notification) (flags int, opens bool) {
	switch {
	case c.opens != 0:
		return c.opens, true
	case c.flags >= 0:
		return int(n.Args[c.flags]), true
	}
	return 0, false
}

// supervised returns the calls that are supervised, by their numbers.
func supervised() map[uint32]fileCall {
	calls := supervisedOnThisArchitecture()
	calls[unix.SYS_OPENAT] = fileCall{name: "openat", folders: []int{0}, path: 1, flags: 2}
	calls[unix.SYS_MKDIRAT] = fileCall{name: "mkdirat", folders: []int{0}, path: 1, flags: -1}
	calls[unix.SYS_UNLINKAT] = fileCall{name: "unlinkat", folders: []int{0}, path: 1, flags: -1}
	calls[unix.SYS_RENAMEAT2] = fileCall{name: "renameat2", folders: []int{0, 2}, path: 1, flags: -1}
	calls[unix.SYS_MKNODAT] = fileCall{name: "mknodat", folders: []int{0}, path: 1, flags: -1}
	calls[unix.SYS_TRUNCATE] = fileCall{name: "truncate", path: 0, flags: -1}
	return calls
}

// performEntry is the address of perform, filled in by the linker.
var performEntry uintptr

// perform makes a system call that no filter of this package sends to the arbiter.
//
//go:noescape
func perform(number uintptr, arguments *[6]uintptr) (result uintptr)

// performed returns the address behind the instruction with which perform enters the kernel; 0 if it is not found.
func performed() uint64 {
	text := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&performEntry))), mostPerform)
	at := bytes.Index(text, enterKernel())
	if at < 0 {
		return 0
	}
	return uint64(performEntry) + uint64(at+len(enterKernel()))
}

// mostPerform is a bound for the length of perform, in bytes.
const mostPerform = 64

// seccompPointer is the offset of the instruction pointer in struct seccomp_data.
const seccompPointer = 8

// supervise sends the supervised calls to the arbiter, except those that perform makes.
func (p *program) supervise(performed uint64) {
	for number := range supervised() {
		p.add(number,
			load(seccompPointer),
			jump(unix.BPF_JEQ, uint32(performed), 0, 3),
			load(seccompPointer+4),
			jump(unix.BPF_JEQ, uint32(performed>>32), 0, 1),
			give(unix.SECCOMP_RET_ALLOW),
			give(unix.SECCOMP_RET_USER_NOTIF))
	}
}

// file makes a supervised call in place of its caller, notes it if it is refused, and returns the outcome. What would
// wait or cannot be made here goes on as it is.
func (r *Refusals) file(listener int, n *Notification, call fileCall) unix.Errno {
	if runtime.FuncForPC(uintptr(n.Address)) == nil { // else it is a call of Go: the executor's own
		r.count()
	}
	var arguments [6]uintptr
	for i, a := range n.Args {
		arguments[i] = uintptr(a)
	}
	for _, i := range call.folders {
		folder, err := folderOf(n.PID, int(int32(n.Args[i])))
		if err != nil {
			return GoOn
		}
		defer closeFolder(folder)
		arguments[i] = uintptr(folder)
	}
	folder := unix.AT_FDCWD
	if len(call.folders) > 0 {
		folder = int(int32(arguments[call.folders[0]]))
	}
	flags, opens := call.opening(n)
	path := arguments[call.path]
	if opens && flags&(unix.O_NONBLOCK|unix.O_PATH) == 0 && mayWait(folder, path) {
		return GoOn
	}
	result, errno := made(uintptr(n.Number), &arguments)
	switch {
	case errno == 0 && opens:
		return addDescriptor(listener, n, int(result), flags)
	case errno == 0:
		return 0
	}
	write := !opens || flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_CREAT != 0
	if refusedBySandbox(errno, folder, path, write) {
		r.Add(call.name, textAt(path), write)
	}
	return GoOn // the kernel says the same to the caller
}

// made makes a system call.
func made(number uintptr, arguments *[6]uintptr) (uintptr, unix.Errno) {
	const lastError = 4095
	result := perform(number, arguments)
	if result > ^uintptr(0)-lastError {
		return 0, unix.Errno(-result)
	}
	return result, 0
}

// folderOf returns a descriptor of the arbiter for a descriptor of a thread of this process: the arbiter has a table of its
// own.
func folderOf(thread uint32, fd int) (int, error) {
	if fd == unix.AT_FDCWD {
		return fd, nil
	}
	if fd < 0 {
		return -1, errors.New("no descriptor")
	}
	path := threadFolder(thread, fd)
	at := unix.AT_FDCWD
	result, errno := made(unix.SYS_OPENAT, &[6]uintptr{
		uintptr(at), uintptr(unsafe.Pointer(&path[0])), unix.O_PATH | unix.O_CLOEXEC,
	})
	if errno != 0 {
		return -1, errno
	}
	return int(result), nil
}

func closeFolder(fd int) {
	if fd >= 0 {
		unix.Close(fd)
	}
}

// mayWait reports whether opening a path may wait for somebody, as that of a named pipe does. The arbiter must not wait.
func mayWait(folder int, path uintptr) bool {
	var stat unix.Stat_t
	_, errno := made(statAt, &[6]uintptr{uintptr(folder), path, uintptr(unsafe.Pointer(&stat))})
	return errno == 0 && stat.Mode&unix.S_IFMT == unix.S_IFIFO
}

// refusedBySandbox reports whether an error of a call about a path comes from the sandbox. The modes of the file, which
// refuse by the same number, hold outside of it, too, and access(2) tells them: Landlock does not change what it says.
func refusedBySandbox(errno unix.Errno, folder int, path uintptr, write bool) bool {
	if errno == unix.EROFS {
		return true
	}
	if errno != unix.EACCES && errno != unix.EPERM {
		return false
	}
	mode := uintptr(unix.R_OK)
	if write {
		mode = unix.W_OK
	}
	_, byMode := made(unix.SYS_FACCESSAT, &[6]uintptr{uintptr(folder), path, mode})
	return byMode != unix.EACCES
}

// addDescriptor gives the caller the descriptor that the arbiter has opened for it. No signal interrupts that: the kernel
// would take the call as answered, with the descriptor 0, and the caller would read the standard input for its file.
func addDescriptor(listener int, n *Notification, fd, flags int) unix.Errno {
	defer unix.Close(fd)
	add := struct { // struct seccomp_notif_addfd (linux/seccomp.h)
		id                    uint64
		flags, from, to, with uint32
	}{id: n.ID, flags: unix.SECCOMP_ADDFD_FLAG_SEND, from: uint32(fd), with: uint32(flags & unix.O_CLOEXEC)}
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before) != nil {
		return GoOn
	}
	errno := seccompIoctl(listener, unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&add))
	// It cannot fail: the mask was valid before.
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	if errno != 0 {
		return GoOn // before Linux 5.14
	}
	return Answered
}

// textAt returns the text at an address from which the kernel has just read a path.
func textAt(address uintptr) string {
	first := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	var text []byte
	for len(text) < unix.PathMax {
		one := *(*byte)(unsafe.Add(first, len(text)))
		if one == 0 {
			break
		}
		text = append(text, one)
	}
	return string(text)
}

// threadFolder returns the path, ended by a zero, that leads to a descriptor of a thread.
func threadFolder(thread uint32, fd int) []byte {
	path := []byte("/proc/self/task/")
	path = strconv.AppendUint(path, uint64(thread), 10)
	path = append(path, "/fd/"...)
	return append(strconv.AppendUint(path, uint64(fd), 10), 0)
}
