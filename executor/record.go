package executor

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Recorder is implemented by runtimes whose own tools can profile an invocation, in a process of the tool's that loads
// the native code.
type Recorder interface {
	// Record makes this many calls of an invocation under a tool's profiler and returns where their time went. What the
	// tool reads and writes goes below folder, which the caller removes. It ends early, with an error, when ctx ends.
	Record(
		ctx context.Context, inv *invocations.Invocation, calls int64, folder string, tool ToolStarter,
	) (invocations.Profile, error)
}

// ToolStarter makes ready to run a program with these arguments, confined as native code is. The program may write only
// to folder, which becomes its working directory. The path is absolute. The program ends with this process, and when
// ctx ends.
type ToolStarter func(ctx context.Context, folder, path string, args ...string) (*Tool, error)

// Tool is a program of a runtime that is ready to be run, by Run.
type Tool struct {
	*exec.Cmd
	// Watch looks after the program while it runs, and kills it if it exceeds a limit: stop, which is called when it
	// has ended, then returns a *KilledError. Nil: nobody looks.
	Watch func(*os.Process) (stop func() error)
}

// Run runs the program to its end. It returns a *KilledError if the program has exceeded a limit, else what the Run of
// its command returns.
func (t *Tool) Run() error {
	if t.Watch == nil {
		return t.Cmd.Run()
	}
	if err := t.Start(); err != nil {
		return err
	}
	stop := t.Watch(t.Process)
	err := t.Wait()
	if killed := stop(); killed != nil {
		return killed
	}
	return err
}

// KilledError reports that native code in a tool was killed because it exceeded a limit; the invocation ends
// "out-of-memory" or "crashed".
type KilledError struct {
	Reason string // for people
	Memory bool   // the limit is that of memory
}

func (e *KilledError) Error() string { return e.Reason }

// record answers an Execute that asks for traced calls, if this executor records. It measures nothing, and loads
// nothing itself.
func (s *Server) record(m *wire.Execute, started func(phase string)) (invocations.Result, error) {
	rt, err := s.runtimeOf(m.Invocation.Runtime, &m.Invocation.Artifact)
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
		r.AddVerdict(invocations.PartialTrace)
	}
}
