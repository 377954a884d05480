package serving

import (
	"context"
	"errors"
	"fmt"
	"os"

	"zonemark/executor"
	"zonemark/executor/rounds"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// record answers an Execute that asks for traced calls, if this executor records. It measures nothing, and loads
// nothing itself.
func (s *Server) record(m *wire.Execute, started func(phase string)) (invocations.Result, error) {
	rt, err := s.runtimeOf(m.Invocation.Runtime, &m.Invocation.Artifact)
	if err != nil {
		return invocations.Result{}, err
	}
	recorder, ok := rt.(executor.Recorder)
	if !ok {
		return invocations.Result{}, &executor.UnsupportedError{Reason: fmt.Sprintf("runtime %s has no tool that profiles", rt.Name())}
	}
	folder, err := os.MkdirTemp(s.Scratch, "record-*")
	if err != nil {
		return invocations.Result{}, fmt.Errorf("folder for the profiler: %w", err)
	}
	defer os.RemoveAll(folder)
	started("profile")
	p, err := recorder.Record(context.Background(), &m.Invocation, m.TraceCalls, folder, s.Tool)
	if err != nil {
		return invocations.Result{}, err
	}
	result := invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Stop: invocations.StopProfile,
		Iterations: m.TraceCalls}}
	rounds.EnterProfile(&result, p)
	return result, nil
}

// emulate answers an Execute that asks for a call of a function for another processor, if this executor starts tools.
// It loads nothing itself.
func (s *Server) emulate(m *wire.Execute, started func(phase string)) (result invocations.Result, err error) {
	rt, err := s.runtimeOf(m.Invocation.Runtime, &m.Invocation.Artifact)
	if err != nil {
		return invocations.Result{}, err
	}
	emulator, ok := rt.(executor.Emulator)
	if !ok {
		return invocations.Result{}, &executor.UnsupportedError{Reason: fmt.Sprintf("runtime %s has no emulator", rt.Name())}
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
