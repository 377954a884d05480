package platform

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Background keeps the threads of this process, and those that they start, from taking the CPU of another thread when
// they wake: they get the policy SCHED_BATCH (sched(7)), with the same share of CPU time as before. Threads of Go's
// runtime wake a thousand times a second. A thread with another policy than SCHED_OTHER keeps it. Only the first call
// does something.
func Background() { background() }

var background = sync.OnceFunc(func() {
	for changed := true; changed; { // a thread may start another one meanwhile
		changed = false
		procNumbers(tasks, func(_, id int) { changed = setPolicy(id, unix.SCHED_NORMAL, unix.SCHED_BATCH) || changed })
		changedPolicy = changedPolicy || changed
	}
})

var changedPolicy bool // by background

// Slack of timers, in nanoseconds: how much later than asked for they may expire; see PR_SET_TIMERSLACK(2const).
const (
	looseTimers = 5_000_000
	usualTimers = 50_000
)

// LoosenTimers has timers of the threads of processes that the calling thread starts, which must be locked, expire up to
// some milliseconds late, so that the system can join them: Go's monitor sleeps for 20 µs again and again, and each of its
// timers interrupts what its CPU does. Foreground ends that for a thread.
func LoosenTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, looseTimers, 0, 0, 0) } // it fails on old kernels only

// Foreground calls Background, and gives the calling thread, which must be locked, the policy that it had before. Its
// timers expire when they usually do. What it starts has that, too.
func Foreground() {
	if background(); changedPolicy {
		setPolicy(0, unix.SCHED_BATCH, unix.SCHED_NORMAL)
	}
	if slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil && slack == looseTimers {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, usualTimers, 0, 0, 0)
	}
}

// setPolicy changes the policy of a thread, 0 for the calling one, if it is from, and reports whether it did.
func setPolicy(thread int, from, to uint32) bool {
	a, err := unix.SchedGetAttr(thread, 0)
	if err != nil || a.Policy != from {
		return false
	}
	a.Policy = to
	return unix.SchedSetAttr(thread, a, 0) == nil
}
