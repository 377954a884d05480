package executor

import (
	"context"
	"os"
	"os/exec"

	"zonemark/invocations"
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
