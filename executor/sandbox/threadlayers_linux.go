package sandbox

import (
	"runtime"

	"zonemark/executor/sandbox/threads"
)

// threadLayer is a layer that system calls of every thread bring into force.
type threadLayer struct {
	layer Layer
	calls func() ([]threads.Call, error)
}

// applyToThreads brings layers into force, unless they are known to be missing, and records the outcome. Each is in force
// in the calling thread before the calls of the next one are asked for. Then the other threads make the calls of all: to
// reach them takes longer than the calls. If that fails, it is not known which layer a thread lacks, so none counts.
func (a *Active) applyToThreads(layers ...threadLayer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all []threads.Call
	var made []Layer
	for _, l := range layers {
		if _, known := a.Missing[l.layer]; known {
			continue
		}
		calls, err := l.calls()
		if err == nil {
			err = threads.Here(calls)
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
	err := threads.Others(all)
	for _, l := range made {
		if err != nil {
			a.miss(l, err.Error())
		} else {
			a.add(l)
		}
	}
}
