package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"zonemark/executor/sandbox/seccomp"

	"golang.org/x/sys/unix"
)

// arbitrate answers the system calls that the filter of the processes inside does not decide, until they end. It
// connects their sockets to those that they may reach, and refuses all else.
func (h *host) arbitrate() {
	listener, asked, err := h.takeListener()
	answer := []byte{accepted}
	if err != nil {
		answer = []byte{0}
	}
	if _, failed := h.control.Write(answer); failed != nil || err != nil {
		return
	}
	c := connector{host: h, listener: listener, inside: mountsOf(asked.Inside), abstract: asked.Abstract}
	seccomp.AnswerEach(listener, func(n *seccomp.Notification) unix.Errno {
		name := seccomp.Named()[uint32(n.Number)]
		if name != "connect" {
			return h.refuse(name)
		}
		if c.begun.Add(1) > mostConnecting {
			c.begun.Add(-1)
			return unix.EAGAIN
		}
		go func() {
			defer c.begun.Add(-1)
			errno, allowed := c.connect(n)
			if !allowed {
				errno = h.refuse(name)
			}
			n.Answer(listener, errno)
		}()
		return seccomp.Answered
	})
}

// refuse notes the name of a system call, if it has one, and returns what its caller gets.
func (h *host) refuse(name string) unix.Errno {
	if name != "" {
		// If nobody reads the names, they are lost.
		_ = unix.Sendto(int(h.control.Fd()), []byte(name+"\n"), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
	}
	return unix.EPERM
}

// takeListener takes what the process inside hands over.
func (h *host) takeListener() (listener int, asked handOver, err error) {
	line, err := bufio.NewReader(h.control).ReadBytes('\n')
	if err != nil {
		return -1, asked, err
	}
	if err := json.Unmarshal(line, &asked); err != nil {
		return -1, asked, err
	}
	listener, err = descriptorOf(h.inside, asked.Listener)
	return listener, asked, err
}

// descriptorOf returns a copy of a descriptor of another process.
func descriptorOf(pid, fd int) (int, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, fd, 0)
}

// mountsOf returns the identities of the mounts that paths lie on.
func mountsOf(paths []string) map[uint64]bool {
	mounts := map[uint64]bool{}
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if id, err := mountOf(fd); err == nil {
			mounts[id] = true
		}
		unix.Close(fd)
	}
	return mounts
}

func mountOf(fd int) (uint64, error) {
	var s unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &s); err != nil {
		return 0, err
	}
	if s.Mask&unix.STATX_MNT_ID == 0 { // Linux before 5.8
		return 0, unix.ENOSYS
	}
	return s.Mnt_id, nil
}

// mostConnecting is the number of calls of connect that may be under way at a time. Each has two descriptors of the
// host.
const mostConnecting = 256

// connector connects sockets of the processes inside. It never waits within the kernel: nobody could end that when the
// caller is killed. Several goroutines use it, one for each call.
type connector struct {
	host     *host
	listener int
	inside   map[uint64]bool // mounts whose sockets may be connected to
	abstract bool            // abstract names may be connected to as well
	begun    atomic.Int64    // calls that are under way
	trying   sync.Mutex      // held while a socket does not block; see try
}

// connect connects the socket that a call of connect is about, in place of its caller: what the caller has in its
// memory may change after it was looked at, so the call itself must not go on. It returns the outcome, unless the
// address may not be connected to.
func (c *connector) connect(n *seccomp.Notification) (errno unix.Errno, allowed bool) {
	address, errno := memoryOf(int(n.PID), uintptr(n.Args[1]), int(n.Args[2]))
	if errno != 0 {
		return errno, true
	}
	process, err := c.host.processOf(int(n.PID))
	if err != nil {
		return unix.EPERM, false
	}
	socket, err := descriptorOf(process, int(int32(n.Args[0])))
	if err != nil {
		return unix.EPERM, false
	}
	defer unix.Close(socket)
	// The caller waits still, so its number was not another one's meanwhile.
	if !n.Waits(c.listener) {
		return unix.EPERM, false
	}
	domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	switch {
	case err != nil:
		return asErrno(err), true
	case domain != unix.AF_UNIX:
		return c.connectIf(c.host.order.Options.AllowInet, n, socket, address)
	}
	path, isAbstract := unixPath(address)
	switch {
	case isAbstract:
		return c.connectIf(c.abstract, n, socket, address)
	case path == "":
		return unix.EINVAL, true
	}
	return c.connectFile(n, socket, path)
}

func (c *connector) connectIf(allowed bool, n *seccomp.Notification, socket int, address []byte) (unix.Errno, bool) {
	if !allowed {
		return unix.EPERM, false
	}
	return c.connectTo(n, socket, address), true
}

// connectFile connects to the socket that a path leads to for a process, if it lies on one of the mounts.
func (c *connector) connectFile(n *seccomp.Notification, socket int, path string) (unix.Errno, bool) {
	folder := unix.AT_FDCWD
	if !filepath.IsAbs(path) {
		var err error
		cwd := strconv.Itoa(int(n.PID)) + "/cwd"
		folder, err = unix.Openat(int(c.host.processes.Fd()), cwd, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return unix.EPERM, false
		}
		defer unix.Close(folder)
	}
	file, err := unix.Openat(folder, path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return asErrno(err), true
	}
	defer unix.Close(file)
	if id, err := mountOf(file); err != nil || !c.inside[id] {
		return unix.EPERM, false
	}
	// The path may lead elsewhere by now; the descriptor does not.
	return c.connectTo(n, socket, unixAddress(fmt.Sprintf("self/fd/%d", file))), true
}

// processOf returns the process that a thread belongs to.
func (h *host) processOf(thread int) (int, error) {
	fd, err := unix.Openat(int(h.processes.Fd()), strconv.Itoa(thread)+"/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	file := os.NewFile(uintptr(fd), "status")
	defer file.Close()
	for in := bufio.NewScanner(file); in.Scan(); {
		var process int
		if n, _ := fmt.Sscanf(in.Text(), "Tgid: %d", &process); n == 1 {
			return process, nil
		}
	}
	return 0, unix.ESRCH
}

// unixPath returns the path in an address of the unix family (unix(7)), and whether the address is an abstract name
// instead, or none at all.
func unixPath(address []byte) (path string, isAbstract bool) {
	const familyBytes = 2
	if len(address) <= familyBytes {
		return "", false
	}
	name := address[familyBytes:]
	if name[0] == 0 {
		return "", true
	}
	for i, c := range name {
		if c == 0 {
			return string(name[:i]), false
		}
	}
	return string(name), false
}

// unixAddress returns the address of the unix family with a path.
func unixAddress(path string) []byte {
	var a unix.RawSockaddrUnix
	a.Family = unix.AF_UNIX
	for i := range len(path) {
		a.Path[i] = int8(path[i])
	}
	address := unsafe.Slice((*byte)(unsafe.Pointer(&a)), unsafe.Sizeof(a))
	return address[:2+len(path)+1]
}

const (
	// leastPause and mostPause are how long a connection that waits is left alone before it is looked at again. A
	// stream of the unix family cannot be waited for in another way.
	leastPause = 100 * time.Microsecond
	mostPause  = 10 * time.Millisecond
)

// connectTo connects a socket to an address. If the socket blocks, this takes until it is connected or has failed, the
// socket's limit (SO_SNDTIMEO) is over, or the caller does not wait any more.
func (c *connector) connectTo(n *seccomp.Notification, socket int, address []byte) unix.Errno {
	limit, err := unix.GetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO)
	if err != nil {
		return asErrno(err)
	}
	begun, most := time.Now(), time.Duration(limit.Nano())
	first, blocks := c.try(socket, address)
	for errno, pause := first, leastPause; ; pause = min(2*pause, mostPause) {
		if underWay := errno == unix.EAGAIN || errno == unix.EINPROGRESS || errno == unix.EALREADY; !blocks || !underWay {
			return errno
		}
		if most > 0 && time.Since(begun) >= most {
			return first
		}
		time.Sleep(pause)
		if !n.Waits(c.listener) {
			return unix.EINTR // nobody will see it
		}
		errno, _ = c.try(socket, address)
	}
}

// try connects a socket without waiting, or looks how far that has come, and reports whether the socket blocks. While
// it tries, the socket does not block for its owner either; nothing but connect would wait for a socket that is not
// connected.
func (c *connector) try(socket int, address []byte) (errno unix.Errno, blocks bool) {
	c.trying.Lock()
	defer c.trying.Unlock()
	flags, err := unix.FcntlInt(uintptr(socket), unix.F_GETFL, 0)
	if err != nil {
		return asErrno(err), false
	}
	if blocks = flags&unix.O_NONBLOCK == 0; blocks {
		if _, err := unix.FcntlInt(uintptr(socket), unix.F_SETFL, flags|unix.O_NONBLOCK); err != nil {
			return asErrno(err), false
		}
		defer unix.FcntlInt(uintptr(socket), unix.F_SETFL, flags)
	}
	_, _, errno = unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(unsafe.Pointer(unsafe.SliceData(address))),
		uintptr(len(address)))
	return errno, blocks
}

// mostAddress is the size of struct sockaddr_storage, beyond which the kernel takes no address.
const mostAddress = 128

// memoryOf returns bytes of the memory of the process that a thread belongs to.
func memoryOf(thread int, address uintptr, length int) ([]byte, unix.Errno) {
	if length < 0 || length > mostAddress {
		return nil, unix.EINVAL
	}
	if length == 0 {
		return nil, 0
	}
	text := make([]byte, length)
	local := []unix.Iovec{{Base: &text[0]}}
	local[0].SetLen(length)
	n, err := unix.ProcessVMReadv(thread, local, []unix.RemoteIovec{{Base: address, Len: length}}, 0)
	if err != nil || n != length {
		return nil, unix.EFAULT
	}
	return text, 0
}

// asErrno returns the number of a system call's error.
func asErrno(err error) unix.Errno {
	if errno, ok := err.(unix.Errno); ok {
		return errno
	}
	return unix.EIO
}
