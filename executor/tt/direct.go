package tt

import (
	"errors"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
)

// direct lets the timing loop make the calls of the plugin itself, without Go in between. This saves a fifth of a very
// short execution. direct leaves the call unchanged if that is not possible: if inputs are pushed, if there are several
// devices or results, or if the mode of measuring needs native code that is called once.
func direct(call *executor.Call, sets []*argumentSet, mode invocations.Mode) error {
	latch, copyWord := native.LatchEntry(), native.CopyEntry()
	if latch == 0 || copyWord == 0 || mode == invocations.Flush || mode == invocations.Serialized {
		return nil
	}
	status := new(uintptr)
	var directs []*pjrt.Direct
	var frames []native.Frame
	steps := 0
	for _, set := range sets {
		if set.pushing || len(set.arguments) > 1 {
			return nil
		}
		d, err := set.program.executable.NewDirect(set.arguments[0], copyWord)
		if errors.Is(err, pjrt.ErrNotDirect) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, step := range d.Steps() {
			var f native.Frame
			for _, word := range []uintptr{step.Function, step.Argument, step.Second, uintptr(unsafe.Pointer(status))} {
				f.Int(uint64(word))
			}
			frames = append(frames, f)
		}
		directs, steps = append(directs, d), len(d.Steps())
	}
	call.Entry, call.Frames, call.CallsPerInvocation, call.Invoke = latch, frames, int64(steps), nil
	// The frames hold addresses only. This function keeps the structs alive.
	call.Failed = func() error {
		if *status == 0 {
			return nil
		}
		failed := directs[0].Failure(*status)
		*status = 0
		return outOfMemory(failed)
	}
	return nil
}
