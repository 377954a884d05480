package seccomp

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Load installs a seccomp program in all threads at once, with further flags. SPEC_ALLOW keeps the processor's
// speculation as fast as it was, because this program measures. It returns the descriptor that the flags ask for.
func Load(p []unix.SockFilter, flags uintptr) (int, error) {
	if len(p) == 0 {
		return -1, errors.New("seccomp: no filter for " + runtime.GOARCH)
	}
	runtime.LockOSThread() // no_new_privs belongs to the thread that installs the filter
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("seccomp: no_new_privs: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	result, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC|unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW|flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	if flags&unix.SECCOMP_FILTER_FLAG_NEW_LISTENER == 0 && result != 0 {
		return -1, fmt.Errorf("seccomp: thread %d has another filter and cannot be given this one", result)
	}
	return int(result), nil
}

// actionAvailable returns an error if the kernel's filters cannot return an action.
func actionAvailable(action uint32) error {
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}

// Probe checks whether the kernel can answer denied calls with an error number, and whether this architecture
// has a filter.
func Probe() error {
	if filterArchitecture == 0 {
		return fmt.Errorf("no filter for %s", runtime.GOARCH)
	}
	if err := actionAvailable(unix.SECCOMP_RET_ERRNO); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}
