package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/environ"
	"zonemark/trace/capture"
)

// Recording says how a program of the user is captured.
type Recording struct {
	Program   string   // its absolute path
	Words     []string // what it gets: the name that the user wrote, and the arguments
	Capture   CaptureOptions
	Shared    bool // it stays in the network of this process
	Variables environ.Variables
	Streams   cli.Streams // of the program
}

// endGrace is how long a program that was asked to end may take.
const endGrace = 5 * time.Second

// connectPatience is the time after which the user is told that no client has been found yet.
const connectPatience = 10 * time.Second

// NotCapturedError tells that a program ran, and that no client of Tracy was found in it.
type NotCapturedError struct {
	Program string
	Exit    executors.Exit
}

// Error says what a program needs.
func (e *NotCapturedError) Error() string {
	return fmt.Sprintf("%s %s, and no Tracy client was found in it, so there is no capture; build it with "+
		"TRACY_ENABLE, and see that it does not end before its client has started", e.Program, Ending(e.Exit))
}

// Ending returns how a program ended, as a part of a sentence.
func Ending(e executors.Exit) string {
	if e.Signal != "" {
		return "was ended by " + e.Signal
	}
	return fmt.Sprintf("ended with status %d", e.Code)
}

// Record runs a program of the user under a capture, in a network of their own where the machine has such, and returns
// what came of both. Cancelling ctx ends the program, first by the signal of Ctrl-C; what was captured is kept. The
// error is for a program that did not run, or of which there is no capture: a *NotCapturedError if it has no client.
func Record(ctx context.Context, r Recording) (Capture, error) {
	runtime.LockOSThread() // the host dies with the thread that starts it
	defer runtime.UnlockOSThread()
	support, port, notPrivate := sandbox.Support{}, 0, "the program was to share the machine's network"
	if !r.Shared {
		if support = sandbox.Probe(); support.Has(sandbox.LayerNet) {
			port, notPrivate = tracyPort, ""
		} else {
			notPrivate = whyNotPrivate(sandbox.Auto, support)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return Capture{}, fmt.Errorf("pipe from the trace host: %w", err)
	}
	defer read.Close()
	cmd, err := r.host(port, notPrivate)
	if err == nil {
		cmd.ExtraFiles = []*os.File{write}
		if err = sandbox.ConfigureNetwork(cmd, support); err == nil {
			err = cmd.Start()
		}
	}
	write.Close()
	if err != nil {
		return Capture{}, fmt.Errorf("start the trace host: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	})
	defer stop()
	c, err := readCapture(read)
	_ = cmd.Wait() // the document says more
	switch {
	case err != nil:
		return c, err
	case c.NoClient && c.Exit != nil:
		return c, &NotCapturedError{r.Words[0], *c.Exit}
	case c.Error != "":
		return c, errors.New(c.Error)
	}
	return c, nil
}

// host returns the command of the process that runs program and capture tool.
func (r *Recording) host(port int, notPrivate string) (*exec.Cmd, error) {
	flags := append(append(r.Capture.flags(port, CaptureGrace, notPrivate), "--", r.Program), r.Words...)
	cmd, err := (&Options{Variables: r.Variables}).process(roleProgram, 0, flags...)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(r.Variables.Entries(), r.Capture.Environment...)
	// A process that is not in the foreground of a terminal would be stopped if it read from it.
	if cli.TerminalWidth(os.Stdin) == 0 {
		cmd.Stdin = os.Stdin
	}
	cmd.Stdout, cmd.Stderr = r.Streams.Out, r.Streams.Err
	return cmd, nil
}

// runProgram is the whole work of a process of role program: it runs a program of the user under a capture, and writes
// a Capture to descriptor 3.
func (h *traceHost) runProgram(ctx context.Context, s cli.Streams, words []string) int {
	runtime.LockOSThread() // program and capture tool die with the thread that starts them
	report, err := recordFile()
	if err == nil && len(words) < 2 {
		err = errors.New("no program is named")
	}
	if err != nil {
		return s.Fail("trace host: %v; zonemark starts trace hosts by itself, there is no need to", err)
	}
	result := Capture{Path: h.capture.Output}
	if err := h.captureProgram(ctx, s, words, &result); err != nil {
		result.Error = err.Error()
	}
	if err := errors.Join(json.NewEncoder(report).Encode(result), report.Close()); err != nil {
		return s.Fail("trace host: report the capture: %v", err)
	}
	return cli.ExitOK
}

// captureProgram runs the program and the capture tool until both have ended.
func (h *traceHost) captureProgram(ctx context.Context, s cli.Streams, words []string, result *Capture) error {
	outside, err := sandbox.EnterNetwork()
	if err != nil {
		return err
	}
	result.Private = outside != ""
	variables := environ.OfProcess()
	h.capture.Configure, h.capture.Variable = dieWithStarter, variables.Lookup(capture.ToolVariable)
	session, err := capture.Start(context.WithoutCancel(ctx), h.capture) // it ends by itself after the program
	if err != nil {
		return err
	}
	result.begun(session, h.notPrivate)
	program := &exec.Cmd{
		Path: words[0], Args: words[1:], Env: append(variables.Entries(), session.Environment()...),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	dieWithStarter(program)
	ownGroup(program)
	if err := program.Start(); err != nil {
		session.ClientEnded()
		_, _ = session.Wait() // there is nothing to capture
		return fmt.Errorf("start %s: %w", filepath.Base(words[0]), err)
	}
	late := time.AfterFunc(connectPatience, func() {
		if !session.Connected() {
			s.Say("zonemark: no Tracy client has been found in %s yet; Ctrl-C ends it", filepath.Base(words[0]))
		}
	})
	interrupted, stopped := waitOrEnd(ctx, program, session.Done())
	late.Stop()
	session.ClientEnded()
	captured, err := session.Wait()
	exit := executors.ExitOf(program.ProcessState)
	result.ended(captured, exit)
	result.NoClient = err != nil && !session.Connected()
	switch {
	case err != nil:
		return err
	case interrupted:
		result.Partial = true
		result.Warnings = append(result.Warnings, "the recording was interrupted; the program "+Ending(exit))
	case stopped:
		result.Partial = true
		result.Warnings = append(result.Warnings, "the program was ended when its capture was over")
	case exit.Signal != "":
		result.Partial = true
		result.Warnings = append(result.Warnings,
			"the program "+Ending(exit)+"; zones that it had not sent are missing")
	}
	return nil
}

// waitOrEnd waits for a program. It ends the program if ctx is cancelled, or if its capture is over, since a program
// waits for one at its end.
func waitOrEnd(ctx context.Context, program *exec.Cmd, captured <-chan struct{}) (interrupted, stopped bool) {
	ended := make(chan struct{})
	go func() {
		_ = program.Wait() // ProcessState says more
		close(ended)
	}()
	select {
	case <-ended:
		return false, false
	case <-ctx.Done():
		interrupted = true
	case <-captured:
		select { // a capture may end a moment before its program does
		case <-ended:
			return false, false
		case <-time.After(time.Second):
		}
		stopped = true
	}
	endGroup(program.Process, os.Interrupt)
	select {
	case <-ended:
	case <-time.After(endGrace):
		endGroup(program.Process, os.Kill)
		<-ended
	}
	return interrupted, stopped
}
