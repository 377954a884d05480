// Package remoting measures on other hosts what this machine has planned (--via). It connects to them, brings them what
// the invocations of a plan need, and hands the driver starters of their executors. It is also the verb with which
// zonemark becomes a host on the other side. Package driver/remote is the conversation.
package remoting

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver"
	"zonemark/driver/bundle"
	"zonemark/driver/executors"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/driver/remote"
	"zonemark/invocations"
	"zonemark/invocations/environ"
	"zonemark/invocations/wire"
)

// Check returns an error for commands of --via that cannot be taken apart, and for a folder of this machine
// (--sandbox-cache), which no host has.
func Check(via []string, cache string) error {
	for _, command := range via {
		if _, err := remote.Words(command); err != nil {
			return fmt.Errorf("--via %s: %w", remote.Quoted(command), err)
		}
	}
	if len(via) > 0 && cache != "" {
		return errors.New("--via and --sandbox-cache: the folder is on this machine; leave out one of them")
	}
	return nil
}

// Usage is the help text of the flag --via.
const Usage = "measure on another host, where this command runs a shell: 'ssh HOST', 'srun -u -N1 -w NODE'; " +
	"repeatable: "

// Options say how hosts are reached, and how their executors are started.
type Options struct {
	Via      []string        // a command for each host
	Hosting  hosting.Options // of the executors; Variables are those of the commands
	Runtimes []string        // names of those in the plan
	Say      func(format string, args ...any)
	Line     *cli.ProgressLine
}

// Hosts are connected hosts.
type Hosts struct {
	options Options
	program *remote.Program
	list    []*host
}

// Output runs a verb of this program on another host, in plain words, and returns what it writes. variables are those
// of the command that leads there.
func Output(
	ctx context.Context, via string, variables environ.Variables, verb string, say func(format string, args ...any),
) ([]byte, error) {
	own, err := ownProgram()
	if err != nil {
		return nil, err
	}
	return remote.Output(ctx, remote.Options{
		Via: via, Variables: variables.Entries(), Build: cli.Version(), Program: own, Verb: verb, Say: say,
	})
}

// ownProgram returns this program, to be brought to hosts.
func ownProgram() (*remote.Program, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	own := &remote.Program{Path: path, Beside: path}
	if runtime.GOOS == "linux" {
		own.Path = "/proc/self/exe" // it stays the same if the file is replaced
	}
	return own, nil
}

// Connect connects to all hosts at once. It returns an error if one of them cannot be reached.
func Connect(ctx context.Context, o Options) (*Hosts, error) {
	own, err := ownProgram()
	if err != nil {
		return nil, err
	}
	h := &Hosts{options: o, program: own}
	var all sync.WaitGroup
	failures := make([]error, len(o.Via))
	for n, via := range o.Via {
		one := &host{hosts: h, via: via}
		h.list = append(h.list, one)
		all.Go(func() { failures[n] = one.connect(ctx) })
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		h.Close()
		return nil, err
	}
	h.tellApart()
	return h, nil
}

// tellApart gives hosts with the same name different ones.
func (h *Hosts) tellApart() {
	seen := map[string]int{}
	for _, one := range h.list {
		name := one.now().Name
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, seen[name])
		}
		one.name = name
	}
}

// Close ends the sessions, and with them all executors.
func (h *Hosts) Close() {
	var all sync.WaitGroup
	for _, one := range h.list {
		if s := one.now(); s != nil {
			all.Go(s.Close)
		}
	}
	all.Wait()
}

// Environment returns the fingerprint of all hosts. Where they differ, it has the values of all.
func (h *Hosts) Environment() map[string]string {
	all := map[string][]string{}
	for _, one := range h.list {
		for key, value := range one.environment() {
			if !slices.Contains(all[key], value) {
				all[key] = append(all[key], value)
			}
		}
	}
	joined := map[string]string{}
	for key, values := range all {
		joined[key] = strings.Join(values, " | ")
	}
	return joined
}

// List returns the hosts for a driver. Emulators are started there as well. Use comes before the first start.
func (h *Hosts) List() (list []*driver.Host) {
	for _, one := range h.list {
		list = append(list, &driver.Host{
			Name: one.name, Environment: one.environment(), Reconnect: one.again,
			Executor: starter{one, hosting.ToMeasure}, Emulator: starter{one, hosting.ToRecord},
		})
	}
	return list
}

// Use brings the files of a plan to all hosts. It may be called again, for the next plan. The error names what was built
// here and cannot run there.
func (h *Hosts) Use(ctx context.Context, f *Files, plan *plan.Plan) error {
	var all sync.WaitGroup
	failures := make([]error, len(h.list))
	for n, one := range h.list {
		one.files = f
		all.Go(func() { failures[n] = one.ready(ctx) })
	}
	all.Wait()
	return errors.Join(append(failures, h.checkPlatforms(plan))...)
}

// checkPlatforms returns an error if what was built here cannot run on a host.
func (h *Hosts) checkPlatforms(plan *plan.Plan) error {
	for _, one := range h.list {
		there := one.platform()
		if there == here {
			continue
		}
		for _, p := range plan.All() {
			if p.Verdict == "" && p.Invocation.Artifact.Built != "" {
				return fmt.Errorf("--via: %s was built on this machine (%s), and host %s is %s; run zonemark on a machine of "+
					"%s, or measure what is built already", p.Invocation.Name, here, one.name, there, there)
			}
		}
	}
	return nil
}

// here is the platform of this machine.
const here = runtime.GOOS + "/" + runtime.GOARCH

// host is one host.
type host struct {
	hosts *Hosts
	via   string
	name  string // for people; set once all hosts are connected
	files *Files

	mu      sync.Mutex
	session *remote.Session
	placed  *placed // where the files are in this session
}

func (h *host) now() *remote.Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// environment returns the fingerprint, under the name of the host.
func (h *host) environment() map[string]string {
	e := maps.Clone(h.now().Environment)
	e["host"] = h.name
	return e
}

// platform returns the host's system and processor, "linux/arm64".
func (h *host) platform() string {
	environment := h.now().Environment
	return environment["os"] + "/" + environment["arch"]
}

func (h *host) connect(ctx context.Context) error {
	o := &h.hosts.options
	session, err := remote.Dial(ctx, remote.Options{
		Via: h.via, Variables: o.Hosting.Variables.Entries(), Build: cli.Version(), Program: h.hosts.program, Verb: Verb,
		Say: o.Say,
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = session
	return nil
}

// ready brings the files. It connects again if the connection has ended since the host was last used.
func (h *host) ready(ctx context.Context) error {
	err := h.bring(ctx)
	if !errors.Is(err, executors.ErrHostLost) || ctx.Err() != nil {
		return err
	}
	h.hosts.options.Say("%v\nconnecting again", err)
	return h.again(ctx)
}

// again connects again and brings the files, most of which are there.
func (h *host) again(ctx context.Context) error {
	was := machine.Class(h.environment())
	h.now().Close()
	if err := h.connect(ctx); err != nil {
		return err
	}
	if is := machine.Class(h.environment()); is != was {
		return fmt.Errorf("--via %s leads to another machine now (%s, and it was %s)", remote.Quoted(h.via), is, was)
	}
	return h.bring(ctx)
}

// large is how many bytes take so long that people are told.
const large = 16 << 20

// bring gives the files their places on the host.
func (h *host) bring(ctx context.Context) error {
	session, line := h.now(), h.hosts.options.Line
	p, err := h.files.placed(session.Folder)
	if err != nil {
		return err
	}
	defer p.cleanUp()
	said := false
	err = session.Push(ctx, p.sources, func(told remote.Pushed) {
		if !said && told.Total >= large {
			said = true
			h.hosts.options.Say("%s: pushing %d MiB", session.Name, told.Total>>20)
		}
		if line != nil && line.Due() {
			line.Draw(fmt.Sprintf("%s: pushing %d of %d MiB", session.Name, told.Done>>20, told.Total>>20))
		}
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.placed = p
	return nil
}

// starter starts executors of a role on a host, in its present session.
type starter struct {
	host *host
	role string
}

// Start starts an executor.
func (s starter) Start(allowed executors.Allowance) (*executors.Process, error) {
	s.host.mu.Lock()
	session, p := s.host.session, s.host.placed
	s.host.mu.Unlock()
	o := &s.host.hosts.options
	variables := p.variables
	if s.role == hosting.ToTrace || s.role == toSend {
		variables = slices.Concat(variables, p.captured)
	}
	settings := wire.ExecutorSettings{
		Sandbox: string(o.Hosting.Sandbox), Counters: o.Hosting.Counters, MemoryBytes: o.Hosting.MemoryBytes,
		Threads: o.Hosting.Threads, Variables: variables, Read: append([]string{session.Folder}, o.Hosting.Read...),
		Runtimes: o.Runtimes, Allow: o.Hosting.Allow,
	}
	move := func(inv *invocations.Invocation) {
		bundle.EachPath(inv, s.host.files.table.EachFile, p.moved)
	}
	return session.Starter(s.role, settings, move).Start(allowed)
}
