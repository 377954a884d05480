package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Seal brings the last layer into force, for every thread of the process. It also gives the signals of native faults
// back to the kernel, so that a crash ends the process by the signal that caused it instead of Go's exit status 2. The
// child calls it once, when its runtime is loaded and before the first native call. Afterwards the process starts no
// other process, unless it has LayerPID, and must not ask os/signal for those signals again.
//
// The signals are given back in every mode. Seal fails if that fails or, in mode Require, if seccomp does.
func (a *Active) Seal() error {
	if err := restoreSignals(); err != nil {
		return err
	}
	a.options.mounted = slices.Contains(a.Layers, LayerMount)
	before := shortestCall()
	defer func() {
		if slices.Contains(a.Layers, LayerSeccomp) {
			a.slower = max(0, float64(shortestCall())/float64(before)-1)
		}
	}()
	a.apply(LayerSeccomp, func() error {
		arbitrated := filter(os.Getpid(), a.options, true)
		if a.hand != nil && a.sealHosted(arbitrated) == nil {
			return nil
		}
		// An arbiter here would end with this program if the process became another one.
		if a.hand == nil && !a.options.AllowExec {
			noted := &refusals{}
			if sealWithArbiter(arbitrated, noted) == nil {
				a.noted, a.supervised = noted.take, noted.supervised
				return nil
			}
		}
		_, err := loadFilter(filter(os.Getpid(), a.options, false), 0)
		return err
	})
	return require(a.options, a.Missing)
}

// shortestCall returns the time of the shortest call of the system: the least of many batches, since other work only
// lengthens them.
func shortestCall() time.Duration {
	const batches, calls = 8, 25
	least := time.Duration(math.MaxInt64)
	for range batches {
		start := time.Now()
		for range calls {
			_, _, _ = unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
		}
		least = min(least, time.Since(start))
	}
	return max(1, least)
}

// sealHosted installs the filter and has the host arbitrate.
func (a *Active) sealHosted(p []unix.SockFilter) error {
	listener, err := loadFilter(p, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
	if err != nil {
		return err
	}
	defer unix.Close(listener)
	return a.hand(handOver{
		Listener: listener, Inside: append(a.options.writable(), a.private...),
		Abstract: slices.Contains(a.Layers, LayerNet),
	})
}

// faultSignals returns the signals that show how native code ended. It does not contain SIGPIPE, which must stay an
// error of the write, and SIGURG, by which Go interrupts its own threads.
func faultSignals() []unix.Signal {
	return []unix.Signal{
		unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS,
		unix.SIGTERM, unix.SIGINT, unix.SIGQUIT, unix.SIGHUP, unix.SIGXFSZ, unix.SIGXCPU,
	}
}

// kernelSignalAction is struct sigaction as the kernel takes it on both amd64 and arm64 (uapi asm/signal.h: arm64
// defines SA_RESTORER because of 32-bit programs and therefore has the member). The C library's structure differs.
type kernelSignalAction struct {
	Handler  uintptr // 0 is SIG_DFL
	Flags    uint64
	Restorer uintptr
	Mask     uint64
}

// restoreSignals does not use os/signal, which cannot take a handler away from the Go runtime.
func restoreSignals() error {
	for _, s := range faultSignals() {
		if _, err := exchangeAction(s, kernelSignalAction{}); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	return nil
}

// exchangeAction sets the action of a signal and returns the one before.
func exchangeAction(s unix.Signal, a kernelSignalAction) (previous kernelSignalAction, err error) {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&a)),
		uintptr(unsafe.Pointer(&previous)), unsafe.Sizeof(a.Mask), 0, 0)
	if errno != 0 {
		return previous, fmt.Errorf("action of %v: %w", s, errno)
	}
	return previous, nil
}

// loadFilter installs a seccomp program in all threads at once, with further flags. SPEC_ALLOW keeps the processor's
// speculation as fast as it was, because this program measures. It returns the descriptor that the flags ask for.
func loadFilter(p []unix.SockFilter, flags uintptr) (int, error) {
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

// seccompActionAvailable returns an error if the kernel's filters cannot return an action.
func seccompActionAvailable(action uint32) error {
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}
