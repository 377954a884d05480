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

// Foreground calls Background, and gives the calling thread, which must be locked, the policy that it had before. What
// it starts has that, too.
func Foreground() {
	if background(); changedPolicy {
		setPolicy(0, unix.SCHED_BATCH, unix.SCHED_NORMAL)
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
