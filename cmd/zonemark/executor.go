package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
	"zonemark/driver"
	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/sandbox"
	"zonemark/invocations/wire"
)

// The roles of an executor process.
const (
	executorRole = "measure" // loads native code, sandboxed; may start nothing
	builderRole  = "build"   // reads artifacts and may start compilers; loads nothing
	hostRole     = "trace"   // runs a measuring one together with a capture tool; see traceHost
	recordRole   = "record"  // has the runtime's own tools profile; loads nothing
	toolRole     = "tool"    // no executor: confines itself and becomes such a tool
)

// Exit codes of an executor, beside driver.ExitCannotReply.
const exitParentGone = 75

// collectorPercent lets the heap of driver and executor grow to five times what is live before it is collected: both ends of the pipe make
// much short-lived garbage in a small heap, and collecting takes CPU time beside a measurement.
const collectorPercent = 400

// protocolFloor is the descriptor number above which the protocol lives: native code that writes to, or closes, small numbers misses it.
const protocolFloor = 4000

// newStarter starts executors of this binary in a role. scratch is the folder that a measuring one may write to.
func newStarter(role string, f *measureFlags, scratch string) *driver.Local {
	options := sandbox.Options{Mode: sandbox.Off}
	flags := []string{"--counters=" + f.counters}
	var support sandbox.Support
	if role == executorRole {
		options = measuringOptions(f.sandbox, scratch, f.memoryBytes())
		support = sandbox.Probe()
	}
	return driver.NewLocal(func() (*exec.Cmd, error) {
		self, err := ownBinary()
		if err != nil {
			return nil, err
		}
		cmd := executorProcess(self, role, options.MemoryBytes, flags...)
		if role == executorRole { // the size of the environment moves the stack, see driver.Runner
			cmd.Env = append(cmd.Env, paddingVariable+"="+strings.Repeat("x", rand.IntN(paddingMost)))
		}
		return cmd, sandbox.Configure(cmd, options, support)
	})
}

// executorProcess is an executor of the binary self, not started and not confined.
func executorProcess(self, role string, memoryBytes int64, flags ...string) *exec.Cmd {
	cmd := exec.Command(self, append([]string{"executor", "--role=" + role, fmt.Sprintf("--memory=%d", memoryBytes)}, flags...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), "GOTRACEBACK=single")
	return cmd
}

// measuringOptions say what a measuring executor may do.
func measuringOptions(mode sandbox.Mode, scratch string, memoryBytes int64) sandbox.Options {
	return sandbox.Options{Mode: mode, Scratch: scratch, MemoryBytes: memoryBytes, OpenFiles: openFiles, FileBytes: fileBytes}
}

// paddingVariable takes up room in the environment of an executor, and carries nothing.
const (
	paddingVariable = "ZONEMARK_PADDING"
	paddingMost     = 4096
)

const (
	openFiles = 8192    // descriptors of an executor; the protocol's are near protocolFloor
	fileBytes = 4 << 30 // the largest file that native code may write
)

// ownBinary is the path of this program that stays right when the file is replaced while it runs.
func ownBinary() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// executorCommand is the hidden subcommand that the driver starts: it confines itself, takes the protocol's descriptors and serves.
func executorCommand(ctx context.Context, s streams, args []string) int {
	set := pflag.NewFlagSet("executor", pflag.ContinueOnError)
	role := set.String("role", executorRole, "measure, build, trace, record or tool")
	memory := set.Int64("memory", 0, "limit on data memory in bytes")
	counters := set.String("counters", countersAuto, "events of the processor that are counted")
	host := newTraceHost(set)
	if err := set.Parse(args); err != nil {
		return s.fail("executor: %v; zonemark starts executors by itself, there is no need to", err)
	}
	switch *role {
	case hostRole:
		host.memoryBytes = *memory
		return host.run(ctx, s)
	case toolRole:
		return s.fail("executor (%s): %v", *role, becomeTool(set.Args()))
	}
	debug.SetGCPercent(collectorPercent)
	runtime.LockOSThread() // counters belong to the thread that opens them, which is the one that serves
	active, err := sandbox.Enter()
	if err != nil {
		return s.fail("sandbox: %v", err)
	}
	in, out, err := executor.ProtocolFiles(3, 4, protocolFloor)
	if err != nil {
		return s.fail("executor: %v; zonemark starts executors by itself, there is no need to", err)
	}
	environment := executor.Environment()
	var counted *native.Counters
	switch *role {
	case executorRole:
		counted, environment["counters"] = openCounters(*counters) // before Seal, which may forbid it
	case builderRole: // whose environment becomes the journal's header
		environment["counters"] = tryCounters(*counters)
	}
	if err := active.Seal(); err != nil {
		return s.fail("sandbox: %v", err)
	}
	server := &executor.Server{
		Runtimes: executorRuntimes(), MemoryBytes: *memory, Measures: *role == executorRole, Counters: counted,
		ParentGone: func() { os.Exit(exitParentGone) },
		Hello: wire.Hello{Protocol: wire.Protocol, Build: version(), Runtimes: runtimeNames(), PID: os.Getpid(),
			Environment: environment, Layers: layerNames(active.Layers), MissingLayers: missingLayers(active.Missing)},
	}
	if *role == recordRole {
		server.Scratch = host.scratch
		if server.Tool, err = toolStarter(host.mode, *memory); err != nil {
			return s.fail("executor (%s): %v", *role, err)
		}
	}
	err = server.Serve(in, out)
	var reply *executor.ReplyError
	if errors.As(err, &reply) {
		return driver.ExitCannotReply
	}
	if err != nil {
		return s.fail("executor (%s): %v", *role, err)
	}
	for _, rt := range server.Runtimes {
		if e, ok := rt.(executor.Exiter); ok && !server.CaptureLost() {
			if err := e.Exit(exitOK); err != nil {
				return s.fail("executor (%s): %v", *role, err)
			}
		}
	}
	return exitOK
}

func layerNames(layers []sandbox.Layer) (names []string) {
	for _, l := range layers {
		names = append(names, string(l))
	}
	return names
}

func missingLayers(missing map[sandbox.Layer]string) map[string]string {
	out := map[string]string{}
	for l, why := range missing {
		out[string(l)] = why
	}
	return out
}
