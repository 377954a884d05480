package iree

import (
	"fmt"

	"zonemark/executor/dl"
	"zonemark/executor/iree/bindings"
	"zonemark/executor/iree/libpython"
)

// Exit ends the process of a traced executor with status, once the capture has received everything. It returns nil if
// there is nothing to wait for: no Tracy, or no interpreter that was started. It must run on the thread that has made
// the calls.
//
// Tracy sends what is left when C's exit runs its destructors. But there it waits until no thread has an open zone, and
// the threads of a device have one as long as the device exists. So Exit first releases everything in the runtime,
// which ends these threads. Go's own exit would lose the last zones. Exit does not wait for a capture that is gone. It
// does wait for one that hangs: whoever started the two processes has to watch them.
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
	found, err := bindings.Find(in.Site, in.Tracy)
	if err != nil {
		return err
	}
	library, err := dl.Open(found.Path)
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
