package hosting

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/driver/executors"
	"zonemark/executor/sandbox"
	"zonemark/invocations/environ"
	"zonemark/trace/capture"

	"github.com/spf13/pflag"
)

// traceHost is the executor of role trace: a process between the driver and a measuring executor, which runs a capture
// tool beside the executor. Where the machine allows it, the three have a network namespace of their own, so that
// nobody else reaches the client, and captures at once need not share ports. The host hands the protocol, descriptors
// 3 and 4, through; it writes a Capture to descriptor 5; and it ends as the executor ended.
//
// Its flags are how the driver tells it what to do; Tracer writes them.
type traceHost struct {
	capture     capture.Options
	mode        string // of the executor's sandbox
	scratch     string // the executor's
	notPrivate  string // why there is no private network, for people
	memoryBytes int64  // of the executor
	threads     int64  // of the executor
	reading     reading
	// command returns the command of the executor, in a sandbox that shares the host's network. Tests replace it.
	command func(outside string) (*exec.Cmd, error)
}

// newTraceHost registers the flags of the role. They have their values once set has parsed the arguments.
func newTraceHost(set *pflag.FlagSet) *traceHost {
	h := &traceHost{}
	h.command = h.executor
	set.StringVar(&h.capture.Output, "capture-output", "", "role trace: file to write")
	set.StringVar(&h.capture.Tool, "capture-tool", "", "role trace: capture tool")
	set.StringArrayVar(&h.capture.Sites, "capture-site", nil, "role trace: site-packages folder that may hold a "+
		"capture tool")
	set.IntVar(&h.capture.Port, "capture-port", 0, "role trace: port of the client; 0: a free one")
	set.Int64Var(&h.capture.MaxBytes, "capture-max-bytes", 0, "role trace: limit of the capture tool's memory")
	set.DurationVar(&h.capture.MaxDuration, "capture-max-duration", 0, "role trace: limit of the capture's duration")
	set.DurationVar(&h.capture.Grace, "capture-grace", 0,
		"role trace: time that the capture tool has to write its file")
	set.StringVar(&h.notPrivate, "not-private", "", "role trace: why there is no private network")
	set.Int64Var(&h.threads, "threads", 0, "roles trace and record: limit on threads of the executor, or of a tool")
	set.StringArrayVar(&h.reading.hidden, "hide", nil, "roles trace and record: folder that native code may not read")
	set.StringArrayVar(&h.reading.allowed, "read", nil, "roles trace and record: path that it may read nevertheless")
	set.StringArrayVar(&h.reading.writable, "allow", nil, "roles trace and record: path that it may write")
	set.StringVar((*string)(&h.reading.profile), "profile", "", "roles trace and record: profile of the sandbox")
	set.StringVar(&h.reading.home, "home", "", "roles trace and record: kept home of native code")
	set.StringVar(&h.mode, "sandbox", string(sandbox.Auto), "roles trace and record: sandbox of the executor, or of "+
		"the tools")
	set.StringVar(&h.scratch, "scratch", "",
		"roles trace and record: folder that the executor, or the tools, may write")
	return h
}

// run is the whole work of the process. The process got only the protocol's descriptors and the one for the result.
func (h *traceHost) run(ctx context.Context, s cli.Streams) int {
	// The executor and the capture tool die with the thread that starts them, and this one dies with the driver.
	runtime.LockOSThread()
	protocol, report, err := hostFiles()
	if err != nil {
		return s.Fail("trace host: %v; zonemark starts trace hosts by itself, there is no need to", err)
	}
	result := Capture{Path: h.capture.Output}
	state, err := h.host(ctx, protocol, &result)
	if err != nil {
		result.Error = err.Error()
		s.Fail("%v", err)
	}
	if err := json.NewEncoder(report).Encode(result); err != nil {
		return s.Fail("trace host: report the capture: %v", err)
	}
	if err := report.Close(); err != nil {
		return s.Fail("trace host: report the capture: %v", err)
	}
	if state == nil {
		return cli.ExitError
	}
	code, err := endAs(state)
	if err != nil {
		return s.Fail("%v", err)
	}
	return code
}

// host runs the executor under a capture and writes the outcome into result. It returns the state of the executor, nil
// if it was not started.
func (h *traceHost) host(ctx context.Context, protocol []*os.File, result *Capture) (*os.ProcessState, error) {
	outside, err := sandbox.EnterNetwork()
	if err != nil {
		return nil, err
	}
	result.Private = outside != ""
	cmd, err := h.command(outside)
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = protocol
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // these are descriptors, so nothing has to be copied
	h.capture.Configure, h.capture.Variable = dieWithStarter, environ.OfProcess().Lookup(capture.ToolVariable)
	var watch func(*os.Process) executors.Watch
	if h.mode != string(sandbox.Off) {
		watch = h.limits().Watch
	}
	return hostTrace(ctx, cmd, h.capture, h.notPrivate, watch, result)
}

// profile returns the profile of the sandbox.
func (h *traceHost) profile() sandbox.Profile { return cmp.Or(h.reading.profile, sandbox.Plain) }

// limits returns what the executor may take. The capture is written by the capture tool.
func (h *traceHost) limits() watching.Limits {
	return watching.Limits{
		MemoryBytes: h.memoryBytes, Threads: h.threads, Scratch: h.scratch, Except: capture.Unfinished(h.capture.Output),
		Namespace: h.reading.profile == sandbox.Device,
	}
}

// executor returns the command of a measuring executor.
func (h *traceHost) executor(outside string) (*exec.Cmd, error) {
	cmd, err := (&Options{Variables: environ.OfProcess()}).process(roleMeasure, h.memoryBytes)
	if err != nil {
		return nil, err
	}
	return cmd, h.confine(cmd, outside)
}

// confine prepares cmd to start a process that calls sandbox.Enter. It shares the network of this process, which is
// private if outside names another one.
func (h *traceHost) confine(cmd *exec.Cmd, outside string) error {
	mode, err := sandbox.ParseMode(h.mode)
	if err != nil {
		return err
	}
	options := measuringOptions(mode, h.limits(), h.reading)
	options.AllowInet, options.SharedNet = true, outside
	support := sandbox.Support{}
	if mode != sandbox.Off {
		support = sandbox.Probe()
	}
	if outside == "" { // in a network of its own, the capture tool would not reach it
		support = support.Without(sandbox.LayerNet, "the capture tool is reached over the machine's loopback interface")
	}
	return cli.WithRemedies(sandbox.Configure(cmd, options, support))
}

// hostTrace runs a client of Tracy under a capture until both have ended, and writes the outcome of the capture into
// result. Cancelling ctx kills the client, whose capture is kept. The client is watched unless watch is nil. hostTrace
// closes the client's files as soon as the client has them, so that their other end sees when the client ends. It
// returns the state of the client, and an error if something could not be started.
func hostTrace(ctx context.Context, client *exec.Cmd, o capture.Options, notPrivate string,
	watch func(*os.Process) executors.Watch, result *Capture) (*os.ProcessState, error) {
	session, err := capture.Start(context.WithoutCancel(ctx), o) // it ends by itself when the client has ended
	if err != nil {
		return nil, err
	}
	result.begun(session, notPrivate)
	client.Env = append(client.Environ(), session.Environment()...)
	err = client.Start()
	for _, f := range client.ExtraFiles {
		f.Close() // this end of a pipe is only passed on, so nothing is lost
	}
	if err != nil {
		session.ClientEnded()
		_, captureErr := session.Wait()
		return nil, fmt.Errorf("start the executor %s: %w (%v)", client.Path, err, captureErr)
	}
	exceeded := func() executors.Exceeded { return executors.Exceeded{} }
	if watch != nil {
		exceeded = watch(client.Process).Stop
	}
	ended := make(chan struct{})
	go func() {
		_ = client.Wait() // ProcessState says more
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		_ = client.Process.Kill() // it may have ended
		<-ended
	}
	session.ClientEnded()
	captured, err := session.Wait()
	exit := executors.ExitOf(client.ProcessState)
	exit.Exceeded = exceeded()
	result.ended(captured, exit)
	if err != nil {
		var full *capture.NoRoomError
		result.Error, result.NoRoom = err.Error(), errors.As(err, &full)
	} else if exit.Signal != "" {
		result.Partial = true
		result.Warnings = append(result.Warnings, fmt.Sprintf("the executor ended by %s; zones that it had not sent "+
			"are missing", exit.Signal))
	}
	return client.ProcessState, nil
}
