package iree

import (
	"fmt"

	"zonemark/executor/dl"
	"zonemark/executor/iree/libpython"
)

// Exit ends the process of a traced executor with that status, once the capture has received everything. It returns, with a nil error, where there is nothing to wait for: no Tracy,
// or no interpreter that was started. The thread is the one that has made the calls.
//
// Tracy sends what is left when C's exit runs its destructors, but waits there until no thread has an open zone, which the threads of a device have as long
// as there is the device. So everything in the runtime is released first, which ends them; Go's own way of leaving would lose the last zones. A capture that is
// gone is not waited for, one that is stuck is: whoever started the two has to watch.
func (in Installation) Exit(status int) error {
	if !in.Tracy || in.LibPython == "" {
		return nil
	}
	python, err := libpython.Running(in.LibPython)
	if err != nil || python == nil {
		return err
	}
	s := &pythonSession{python: python}
	if err := s.exchange("shut_down", struct{}{}, nil, &struct{}{}, nil); err != nil {
		return fmt.Errorf("shut IREE down: %w", err)
	}
	bindings, err := findBindings(in.Site, in.Tracy)
	if err != nil {
		return err
	}
	library, err := dl.Open(bindings.path)
	if err != nil {
		return err
	}
	exit, err := library.Lookup("exit")
	if err != nil {
		return err
	}
	dl.Call(exit, uintptr(status))
	return nil
}
