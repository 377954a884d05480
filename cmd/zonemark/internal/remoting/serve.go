package remoting

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/driver/executors"
	"zonemark/driver/remote"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
	"zonemark/executor/serving"
	"zonemark/invocations/environ"
	"zonemark/invocations/wire"
)

// Verb is the hidden verb with which zonemark becomes a host on the other side.
const Verb = "host"

// protocolFloor is a number below the descriptors of the session.
const protocolFloor = 64

// Serve carries out Verb: it serves a session on standard input and output until the driver leaves or the connection
// ends. It returns the exit status of the process.
func Serve(ctx context.Context, p program.Program, args []string) int {
	if len(args) > 0 {
		return p.Fail("host: zonemark starts hosts by itself, there is no need to")
	}
	in, out, err := serving.ProtocolFiles(0, 1, protocolFloor)
	if err != nil {
		return p.Fail("host: %v", err)
	}
	// Nothing else may get the numbers 0 and 1: what starts programs, as the probe of namespaces does, takes them for its own.
	for range 2 {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return p.Fail("host: %v", err)
		}
		defer null.Close()
	}
	h, err := newServer(p)
	if err != nil {
		return p.Fail("host: %v", err)
	}
	defer h.close()
	if err := h.server.Serve(ctx, in, out); err != nil {
		return p.Fail("host: %v", err)
	}
	return cli.ExitOK
}

// server is the host's side of a session, with the folders that it uses.
type server struct {
	program program.Program
	server  *remote.Server
	scratch string
	view    string

	mu    sync.Mutex
	ready map[string]closing // starters by role and settings
	kept  map[string]kept    // by names of runtimes
}

// closing is a starter that can end all that it has started.
type closing interface {
	executors.Starter
	Close()
}

// kept is what runtimes keep of executors with the same variables.
type kept struct {
	scratch   string // the only folder that these executors may write to
	variables environ.Variables
	take      func() error // to call when all executors have ended
}

func newServer(p program.Program) (*server, error) {
	h := &server{program: p, ready: map[string]closing{}, kept: map[string]kept{}}
	store, err := p.Cache().Folder(filepath.Join("remote", "files"))
	if err != nil {
		return nil, err
	}
	if h.view, err = p.Cache().Temporary(filepath.Join("remote", "sessions")); err != nil {
		return nil, err
	}
	if h.scratch, err = p.Cache().Scratch(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(h.view))
	}
	if self, err := os.Executable(); err == nil {
		if err := remote.Prune(filepath.Dir(store), self); err != nil { // it costs only room
			p.Say("warning: clean the cache of sessions: %v", err)
		}
	}
	environment := platform.Environment()
	environment["counters"] = hosting.TryCounters(hosting.CountersAuto)
	environment["variables"] = hosting.Changing(p.Variables)
	h.server = &remote.Server{
		Hello: wire.Hello{Protocol: wire.Protocol, Build: cli.Version(), PID: os.Getpid(), Environment: environment},
		Name:  hostName(p, environment["host"]), Store: &remote.Store{Root: store, Folder: h.view}, Starter: h.starter,
	}
	return h, nil
}

// hostName returns the name of this host: that of Slurm's node, of which a machine may have several, or the machine's.
func hostName(p program.Program, machine string) string {
	name := p.Variables.Lookup("SLURMD_NODENAME")
	if name == "" {
		name = machine
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

func (h *server) close() {
	for _, local := range h.ready {
		local.Close()
	}
	for _, k := range h.kept {
		if err := k.take(); err != nil { // the results are complete without it
			h.program.Say("warning: %v", err)
		}
	}
	_ = cachedir.Remove(h.scratch) // the next session removes it
	_ = os.RemoveAll(h.view)       // likewise
}

// keyOf tells starters apart.
func keyOf(role string, s *wire.ExecutorSettings) string {
	return fmt.Sprintf("%q", append([]string{role, s.Sandbox, s.Counters, fmt.Sprint(s.MemoryBytes, s.Threads)},
		slices.Concat(s.Variables, []string{""}, s.Read, []string{""}, s.Allow)...))
}

// starter returns what starts executors of a role with settings.
func (h *server) starter(role string, s *wire.ExecutorSettings) (executors.Starter, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if role == toSend {
		return h.capturesOf(s)
	}
	key := keyOf(role, s)
	if ready := h.ready[key]; ready != nil {
		return ready, nil
	}
	mode, err := sandbox.ParseMode(s.Sandbox)
	if err != nil {
		return nil, err
	}
	k, err := h.keep(s)
	if err != nil {
		return nil, err
	}
	started, err := h.newStarter(role, hosting.Options{
		Counters: s.Counters, Sandbox: mode, MemoryBytes: s.MemoryBytes, Threads: s.Threads, Scratch: k.scratch,
		Variables: k.variables, Environment: environ.Names(s.Variables), Read: s.Read, Allow: s.Allow,
	})
	if err != nil {
		return nil, err
	}
	h.ready[key] = started
	return started, nil
}

func (h *server) newStarter(role string, o hosting.Options) (closing, error) {
	if role != hosting.ToTrace {
		return hosting.Elsewhere(role, o)
	}
	folder, err := os.MkdirTemp(h.scratch, "")
	if err != nil {
		return nil, err
	}
	return hosting.TracedElsewhere(o, filepath.Join(folder, "trace.tracy")), nil
}

// keep prepares folders for what executors make and later sessions use.
func (h *server) keep(s *wire.ExecutorSettings) (k kept, err error) {
	key := fmt.Sprintf("%q", append(s.Runtimes, s.Variables...))
	if k, known := h.kept[key]; known {
		return k, nil
	}
	if k.scratch, err = os.MkdirTemp(h.scratch, ""); err != nil {
		return k, err
	}
	folders := runtimes.Folders{Scratch: k.scratch, Cache: h.program.Cache().Folder}
	k.variables, k.take, err = h.program.Runtimes.Keep(folders, h.program.Variables.With(s.Variables...), s.Runtimes...)
	if err == nil {
		h.kept[key] = k
	}
	return k, err
}
