package executor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Emulator is implemented by runtimes some of whose functions are for another processor, which a program emulates; see
// invocations.Function.
type Emulator interface {
	// Emulate makes one call of an invocation in an emulator, and compares the outputs. The result has the status OK,
	// Mismatch or Crashed, and what the emulator has counted; it has no times. Errors that a user caused become status
	// "failed". What the emulator reads and writes goes below folder, which the caller removes. Emulate ends early,
	// with an error, when ctx ends. phase is told what begins.
	Emulate(
		ctx context.Context, inv *invocations.Invocation, folder string, tool ToolStarter, phase func(name string),
	) (invocations.Result, error)
}

// emulate answers an Execute that asks for a call of a function for another processor, if this executor starts tools.
// It loads nothing itself.
func (s *Server) emulate(m *wire.Execute, started func(phase string)) (result invocations.Result, err error) {
	rt, err := s.runtimeOf(m.Invocation.Runtime, &m.Invocation.Artifact)
	if err != nil {
		return invocations.Result{}, err
	}
	emulator, ok := rt.(Emulator)
	if !ok {
		return invocations.Result{}, &UnsupportedError{fmt.Sprintf("runtime %s has no emulator", rt.Name())}
	}
	folder, err := os.MkdirTemp(s.Scratch, "emulate-*")
	if err != nil {
		return invocations.Result{}, fmt.Errorf("folder for the emulator: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if result, err = emulator.Emulate(context.Background(), &m.Invocation, folder, s.Tool, started); err != nil {
		return invocations.Result{}, err
	}
	result.Stop = invocations.StopCheck
	return result, nil
}
