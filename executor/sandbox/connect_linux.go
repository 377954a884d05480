package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

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
	inside := mountsOf(asked.Inside)
	answerEach(listener, func(n *notification) unix.Errno {
		name := named()[uint32(n.Number)]
		if name == "connect" {
			if errno, allowed := h.connect(listener, n, inside, asked.Abstract); allowed {
				return errno
			}
		}
		if name != "" {
			// If nobody reads the names, they are lost.
			_ = unix.Sendto(int(h.control.Fd()), []byte(name+"\n"), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
		}
		return unix.EPERM
	})
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

// connect connects the socket that a call of connect is about, in place of its caller: what the caller has in its
// memory may change after it was looked at, so the call itself must not go on. It returns the outcome, unless the
// address is none that may be connected to.
func (h *host) connect(
	listener int, n *notification, inside map[uint64]bool, abstract bool,
) (errno unix.Errno, allowed bool) {
	address, errno := memoryOf(int(n.PID), uintptr(n.Args[1]), int(n.Args[2]))
	if errno != 0 {
		return errno, true
	}
	process, err := h.processOf(int(n.PID))
	if err != nil {
		return unix.EPERM, false
	}
	socket, err := descriptorOf(process, int(int32(n.Args[0])))
	if err != nil {
		return unix.EPERM, false
	}
	defer unix.Close(socket)
	// The caller waits still, so its number was not another one's meanwhile.
	if seccompIoctl(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.ID)) != 0 {
		return unix.EPERM, false
	}
	domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	switch {
	case err != nil:
		return asErrno(err), true
	case domain != unix.AF_UNIX:
		return connectIf(h.order.Options.AllowInet, socket, address)
	}
	path, isAbstract := unixPath(address)
	switch {
	case isAbstract:
		return connectIf(abstract, socket, address)
	case path == "":
		return unix.EINVAL, true
	}
	return h.connectFile(socket, int(n.PID), path, inside)
}

func connectIf(allowed bool, socket int, address []byte) (unix.Errno, bool) {
	if !allowed {
		return unix.EPERM, false
	}
	return connectTo(socket, address), true
}

// connectFile connects to the socket that a path leads to for a process, if it lies on one of the mounts.
func (h *host) connectFile(socket, pid int, path string, inside map[uint64]bool) (unix.Errno, bool) {
	folder := unix.AT_FDCWD
	if !filepath.IsAbs(path) {
		var err error
		folder, err = unix.Openat(int(h.processes.Fd()), strconv.Itoa(pid)+"/cwd", unix.O_PATH|unix.O_CLOEXEC, 0)
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
	if id, err := mountOf(file); err != nil || !inside[id] {
		return unix.EPERM, false
	}
	// The path may lead elsewhere by now; the descriptor does not.
	return connectTo(socket, unixAddress(fmt.Sprintf("self/fd/%d", file))), true
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

func connectTo(socket int, address []byte) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(unsafe.Pointer(unsafe.SliceData(address))),
		uintptr(len(address)))
	return errno
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
