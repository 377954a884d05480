package hosting

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/watching"
	"zonemark/driver/executors"
	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
	"zonemark/executor/serving"
	"zonemark/invocations"
	"zonemark/invocations/cgroups"
	"zonemark/invocations/environ"
	"zonemark/invocations/wire"

	"github.com/spf13/pflag"
)

// exitParentGone is the exit code of an executor whose driver has died, beside executors.ExitCannotReply.
const exitParentGone = 75

// exitNotConfined is the exit code of a tool that could not confine itself, or could not become the program.
const exitNotConfined = 76

// executorFlags are the flags with which a driver starts an executor.
type executorFlags struct {
	role     string
	memory   int64
	grouped  bool
	counters string
	exchange bool
	host     *traceHost
	rest     []string
}

func parseExecutorFlags(args []string) (*executorFlags, error) {
	f := &executorFlags{}
	set := pflag.NewFlagSet("executor", pflag.ContinueOnError)
	set.StringVar(&f.role, "role", roleMeasure, "measure, command, build, trace, record, program or tool")
	set.Int64Var(&f.memory, "memory", 0, "limit on data memory in bytes")
	set.BoolVar(&f.grouped, "memory-group", false, "control groups limit the memory of programs that build, too")
	set.StringVar(&f.counters, "counters", CountersAuto, "events of the processor that are counted")
	set.BoolVar(&f.exchange, "exchange", false, "the driver lends memory to exchange with another executor")
	f.host = newTraceHost(set)
	err := set.Parse(args)
	f.host.memoryBytes, f.rest = f.memory, set.Args()
	return f, err
}

// Serve carries out the hidden verb executor, with which a driver starts an executor. It confines the process, takes
// the descriptors of the protocol, and serves until the driver sends Goodbye. It returns the exit status of the
// process. options are those of each runtime, by its name.
func Serve(
	s cli.Streams, args []string, runtimes []executor.Runtime, options map[string][]invocations.Option,
) int {
	f, err := parseExecutorFlags(args)
	if err != nil {
		return s.Fail("executor: %v; zonemark starts executors by itself, there is no need to", err)
	}
	switch f.role {
	case roleTrace, roleProgram:
		ctx, stop := cli.NotifyContext()
		defer stop()
		if f.role == roleTrace {
			return f.host.run(ctx, s)
		}
		return f.host.runProgram(ctx, s, f.rest)
	case roleTool:
		s.Fail("executor (%s): %v", f.role, cli.WithRemedies(becomeTool(f.rest)))
		return exitNotConfined
	}
	cli.RelaxCollector()
	runtime.LockOSThread() // the thread that serves must open the counters, since they belong to a thread
	platform.Foreground()  // this thread measures, and starts those of native code
	active, err := sandbox.Enter()
	if err != nil {
		return s.Fail("sandbox: %v", cli.WithRemedies(err))
	}
	in, out, err := serving.ProtocolFiles(3, 4, executors.ProtocolFloor)
	if err != nil {
		return s.Fail("executor: %v; zonemark starts executors by itself, there is no need to", err)
	}
	var exchange *platform.Exchange
	if f.exchange {
		if exchange, err = platform.TakeExchange(executors.InheritedFloor, executors.ProtocolFloor); err != nil {
			return s.Fail("executor: %v", err)
		}
	}
	if active.Supervising() && !arenasGiven(environ.OfProcess()) {
		dl.SettleArenas()
	}
	server := f.server(runtimes) // opens counters, which Seal may forbid
	if err := active.Seal(); err != nil {
		return s.Fail("sandbox: %v", cli.WithRemedies(err))
	}
	if f.role == roleBuild || f.role == roleCommand { // they end with all that they have started
		if err := becomeBuilder(f.memory); err != nil {
			return s.Fail("executor (%s): %v", f.role, err)
		}
		server.ParentGone = endBuilder
	}
	server.Options, server.Exchange = options, exchange
	server.Supervision = serving.Supervision{
		Refused: func() []serving.Refusal { return refusals(active.Profile(), active.Refused()) },
		Slowed:  active.Supervised,
		Slower:  active.Slower(),
	}
	server.Outside = layersFromOutside
	if f.role == roleMeasure && active.Profile() == sandbox.Plain && slices.Contains(active.Layers, sandbox.LayerSeccomp) {
		native.CatchClockReads() // no other process can be started
	}
	if err := f.confined(server, active); err != nil {
		return s.Fail("executor (%s): %v", f.role, err)
	}
	err = server.Serve(in, out)
	var reply *serving.ReplyError
	if errors.As(err, &reply) {
		return executors.ExitCannotReply
	}
	if err == nil {
		err = leave(server)
	}
	if err != nil {
		return s.Fail("executor (%s): %v", f.role, err)
	}
	return cli.ExitOK
}

// confined tells the driver how native code is confined. An executor that records runs it in tools, which confined
// prepares.
func (f *executorFlags) confined(server *serving.Server, active sandbox.Active) (err error) {
	hello := &server.Hello
	hello.Layers, hello.MissingLayers = layerNames(active.Layers), missingLayers(active.Missing)
	if len(active.Layers) > 0 {
		hello.Profile, hello.Allowed = string(active.Profile()), active.Allowed()
	}
	switch f.role {
	case roleBuild:
		mode, err := sandbox.ParseMode(f.host.mode)
		if err != nil {
			return err
		}
		limits := watching.Limits{MemoryBytes: f.memory, Group: f.grouped}
		server.Confine = confineBuilds(mode, limits, f.host.reading, sandbox.Probe)
	case roleCommand:
		hello.Layers, hello.MissingLayers = nil, missingLayers(withoutSandbox())
	case roleRecord:
		server.Scratch = f.host.scratch
		var support sandbox.Support
		server.Tool, support, err = toolStarter(f.host.mode, f.memory, f.host.threads, f.host.reading)
		if err != nil {
			return err
		}
		if len(support.Layers) > 0 {
			hello.Profile, hello.Allowed = string(f.host.profile()), f.host.reading.writable
		}
		hello.Layers, hello.MissingLayers = layerNames(support.Layers), missingLayers(support.Missing)
	}
	return nil
}

// server makes the executor of the role and opens the counters that it needs.
func (f *executorFlags) server(runtimes []executor.Runtime) *serving.Server {
	environment := map[string]string{}
	var counted *native.Counters
	switch f.role {
	case roleMeasure, roleCommand:
		counted, environment["counters"] = openCounters(f.counters)
	case roleBuild: // its environment becomes the journal's header; others need not take the time
		environment = platform.Environment()
		environment["counters"] = TryCounters(f.counters)
		environment["variables"] = Changing(environ.OfProcess())
	}
	var names []string
	for _, r := range runtimes {
		names = append(names, r.Name())
	}
	return &serving.Server{
		Runtimes: runtimes, MemoryBytes: f.memory, Counters: counted,
		ParentGone: func() { os.Exit(exitParentGone) },
		Hello: wire.Hello{
			Protocol: wire.Protocol, Build: cli.Version(), Runtimes: names, PID: os.Getpid(),
			Environment: environment,
		},
	}
}

// refusals returns refused calls with what allows each of them.
func refusals(p sandbox.Profile, list []sandbox.Refusal) (told []serving.Refusal) {
	for _, one := range list {
		told = append(told, serving.Refusal{Call: one.Call, Path: one.Path, Times: one.Times, Allow: allowing(p, one)})
	}
	return told
}

// ofProcesses are the calls by which processes are started and talk to each other.
var ofProcesses = [...]string{
	"execve", "execveat", "clone", "fork", "vfork", "socket", "socketpair", "connect", "bind", "sendmsg", "sendmmsg",
}

// allowing returns what allows a call.
func allowing(p sandbox.Profile, r sandbox.Refusal) string {
	switch {
	case r.Path != "" && r.Write:
		return "--sandbox-allow PATH lets native code write there"
	case r.Path != "":
		return "--sandbox-read PATH lets native code read there"
	case p == sandbox.Plain && slices.Contains(ofProcesses[:], r.Call):
		return "--sandbox-profile device allows processes, and sockets among them"
	case p == sandbox.Device && r.Call == "connect":
		return "--sandbox-allow PATH lets native code connect to the socket there; --sandbox off allows all"
	}
	return "--sandbox off allows that"
}

// arenasGiven reports whether the user has chosen how many arenas malloc makes. Then it reads no file for that.
func arenasGiven(v environ.Variables) bool {
	return v.Lookup("MALLOC_ARENA_MAX") != "" || strings.Contains(v.Lookup("GLIBC_TUNABLES"), "glibc.malloc.arena_max")
}

// layersFromOutside returns the layers that the driver has brought into force since this process began.
func layersFromOutside() []string {
	if cgroups.InMemoryGroup() {
		return []string{LayerGroup}
	}
	return nil
}

// LayerGroup is the name of the layer of a limit of memory that a control group holds. No machine must have it, and it
// holds what users ask for.
const LayerGroup = "cgroup"

// leave lets runtimes end the process in their own way if they must.
func leave(server *serving.Server) error {
	for _, rt := range server.Runtimes {
		if e, ok := rt.(executor.Exiter); ok && !server.CaptureLost() {
			if err := e.Exit(cli.ExitOK); err != nil {
				return err
			}
		}
	}
	return nil
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
