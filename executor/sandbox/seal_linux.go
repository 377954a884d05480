package sandbox

import (
	"math"
	"os"
	"slices"
	"time"

	"zonemark/executor/sandbox/seccomp"
	"zonemark/executor/sandbox/signals"

	"golang.org/x/sys/unix"
)

// Seal brings the last layer into force, for every thread of the process. It also gives the signals that end
// programs back to the kernel, so that a crash ends the process by the signal that caused it instead of Go's exit status
// 2, and a signal that native code does not handle ends it as it ends a C program. The
// child calls it once, when its runtime is loaded and before the first native call. Afterwards the process starts no
// other process, unless it has LayerPID, and must not ask os/signal for those signals again.
//
// The signals are given back in every mode. Seal fails if that fails or, in mode Require, if seccomp does.
func (a *Active) Seal() error {
	if err := signals.Restore(); err != nil {
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
		arbitrated := seccomp.Filter(os.Getpid(), a.options.calls(), true)
		if a.hand != nil && a.sealHosted(arbitrated) == nil {
			return nil
		}
		// An arbiter here would end with this program if the process became another one.
		if a.hand == nil && !a.options.AllowExec {
			noted := &seccomp.Refusals{}
			if seccomp.SealWithArbiter(arbitrated, noted) == nil {
				a.noted, a.supervised = noted.Take, noted.Supervised
				return nil
			}
		}
		_, err := seccomp.Load(seccomp.Filter(os.Getpid(), a.options.calls(), false), 0)
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
	listener, err := seccomp.Load(p, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
	if err != nil {
		return err
	}
	defer unix.Close(listener)
	return a.hand(handOver{
		Listener: listener, Inside: append(a.options.writable(), a.private...),
		Abstract: slices.Contains(a.Layers, LayerNet),
	})
}

// calls returns what the filter of system calls depends on.
func (o Options) calls() seccomp.Options {
	return seccomp.Options{
		Processes: o.processes, Exposed: o.exposed, Mounted: o.mounted,
		AllowInet: o.AllowInet, AllowExec: o.AllowExec, Supervise: o.Supervise,
	}
}
