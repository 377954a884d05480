package sandbox

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// threadCall is a system call that every thread makes. The assembly knows the layout.
type threadCall struct {
	number    uintptr
	arguments [5]uintptr
	once      bool   // it fails in a thread that inherits its effect, where this does not matter
	name      string // for errors
	holds     any    // what arguments point to: it is then in the heap, where it does not move
}

// control returns a call of prctl(2).
func control(name string, arguments ...uintptr) threadCall {
	c := threadCall{name: name, number: unix.SYS_PRCTL}
	copy(c.arguments[:], arguments)
	return c
}

// makeHere makes system calls in the calling thread, up to the first that fails.
func makeHere(calls []threadCall) error {
	defer runtime.KeepAlive(calls)
	for _, c := range calls {
		a := &c.arguments
		if _, _, errno := unix.RawSyscall6(c.number, a[0], a[1], a[2], a[3], a[4], 0); errno != 0 {
			return fmt.Errorf("%s: %w", c.name, errno)
		}
	}
	return nil
}

// threadLayer is a layer that system calls of every thread bring into force.
type threadLayer struct {
	layer Layer
	calls func() ([]threadCall, error)
}

// applyToThreads brings layers into force, unless they are known to be missing, and records the outcome. Each is in force
// in the calling thread before the calls of the next one are asked for. Then the other threads make the calls of all: to
// reach them takes longer than the calls. If that fails, it is not known which layer a thread lacks, so none counts.
func (a *Active) applyToThreads(layers ...threadLayer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all []threadCall
	var made []Layer
	for _, l := range layers {
		if _, known := a.Missing[l.layer]; known {
			continue
		}
		calls, err := l.calls()
		if err == nil {
			err = makeHere(calls)
		}
		if err != nil {
			a.miss(l.layer, err.Error())
			continue
		}
		all, made = append(all, calls...), append(made, l.layer)
	}
	if len(made) == 0 {
		return
	}
	err := otherThreads(all)
	for _, l := range made {
		if err != nil {
			a.miss(l, err.Error())
		} else {
			a.add(l)
		}
	}
}
