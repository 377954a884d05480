package executor

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Recorder is implemented by runtimes whose own tools can profile an invocation, in a process of theirs that loads the native code.
type Recorder interface {
	// Record makes so many calls of an invocation under a tool's profiler and says where their time went. What the tool reads and writes goes below folder, which
	// is the caller's to remove. It ends early, with an error, when ctx does.
	Record(ctx context.Context, inv *invocations.Invocation, calls int64, folder string, tool ToolStarter) (invocations.Profile, error)
}

// ToolStarter makes the command that runs a program with these arguments, confined as native code is: folder, which becomes its working directory, is the one place
// that it may write. The path is absolute. The command ends with this process, and when ctx does.
type ToolStarter func(ctx context.Context, folder, path string, args ...string) (*exec.Cmd, error)

// record answers an Execute that asks for traced calls where this executor records: it measures nothing, and loads nothing itself.
func (s *Server) record(m *wire.Execute, started func(phase string)) (invocations.Result, error) {
	rt, err := s.runtime(m.Invocation.Runtime)
	if err != nil {
		return invocations.Result{}, err
	}
	recorder, ok := rt.(Recorder)
	if !ok {
		return invocations.Result{}, &UnsupportedError{fmt.Sprintf("runtime %s has no tool that profiles", rt.Name())}
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
	result := invocations.Result{Status: invocations.OK, Stop: invocations.StopProfile, Iterations: m.TraceCalls}
	enterProfile(&result, p)
	return result, nil
}

// enterProfile puts what a runtime's profiler has found into a result.
func enterProfile(r *invocations.Result, p invocations.Profile) {
	r.Notes = append(r.Notes, p.Notes...)
	r.Profile, r.Profile.Source, r.Profile.Notes = p, invocations.ByProfiler, nil
	if p.Partial {
		r.Flaw(invocations.PartialTrace)
	}
}
