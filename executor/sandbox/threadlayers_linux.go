package sandbox

import (
	"errors"
	"fmt"
	"runtime"

	"zonemark/executor/sandbox/threads"
	"zonemark/invocations/remedy"
)

// threadLayer is a layer that system calls of every thread bring into force.
type threadLayer struct {
	layer Layer
	calls func() ([]threads.Call, error)
}

// applyToThreads brings layers into force, unless they are known to be missing, and records the outcome. Each is in force
// in the calling thread before the calls of the next one are asked for. Then the other threads make the calls of all: to
// reach them takes longer than the calls. If that fails, it is not known which layer a thread lacks, and what must not be
// done outside of the layers could be done there: that is an error in every mode, but where threads are never reached.
func (a *Active) applyToThreads(layers ...threadLayer) error {
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
		return nil
	}
	err := threads.Others(all)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return remedy.With(fmt.Errorf("sandbox: not every thread could be confined: %w", err),
			remedy.Remedy{Kind: remedy.Choose, Name: "sandbox", Value: string(Off)})
	}
	for _, l := range made {
		if err != nil {
			a.miss(l, err.Error())
		} else {
			a.add(l)
		}
	}
	return nil
}
