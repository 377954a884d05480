package iree

import (
	"fmt"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/pipelines"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Runtime runs IREE modules.
type Runtime struct{ Installation Installation }

// Exit implements executor.Exiter for traced executors; see Installation.Exit.
func (r Runtime) Exit(status int) error { return r.Installation.Exit(status) }

var (
	_ executor.Runtime  = Runtime{}
	_ executor.Exiter   = Runtime{}
	_ executor.Recorder = Runtime{}
)

// Name returns what a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is the name of the runtime.
const Name = "iree"

// Load opens the module by the front end that its options ask for. It checks versions and processor before it loads
// anything: a module of another version is an error, and one for another processor an *executor.UnsupportedError.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	by, err := r.Installation.choose(artifact.Options)
	if err != nil {
		return nil, err
	}
	if pipelines.Named(artifact.Built) {
		p, err := loadPipeline(artifact, by)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	m, err := readModule(artifact)
	if err != nil {
		return nil, err
	}
	return by.load(artifact, m)
}

// readModule reads the module of an artifact. It refuses one for other processors.
func readModule(artifact invocations.Artifact) (module, error) {
	file, err := moduleFile(artifact)
	if err != nil {
		return module{}, err
	}
	m, err := vmfb.Read(file)
	if err != nil {
		return module{}, err
	}
	if reason := wrongMachine(m, device(artifact.Options)); reason != "" {
		return module{}, &executor.UnsupportedError{Reason: reason}
	}
	return module{Module: m, file: file}, nil
}

// moduleFile returns the path of the module of an artifact: the built one, or the one that the plan of its dispatches
// belongs to.
func moduleFile(a invocations.Artifact) (string, error) {
	switch {
	case dispatchplan.Is(a.Built):
		p, err := dispatchplan.Read(a.Built)
		if err != nil {
			return "", err
		}
		return p.ModulePath(a.Built), nil
	case a.Built != "":
		return a.Built, nil
	case isSource(a.Path):
		return "", fmt.Errorf("%s: %w", a.Path, errNotBuilt)
	}
	return a.Path, nil
}

// program is a loaded module.
type program struct {
	session  session
	module   *vmfb.Module
	artifact invocations.Artifact
}

// Close unloads the module.
func (p *program) Close() error { return p.session.close() }

// Prepare binds the function to filled inputs. It makes as many sets as take setBytes together, each with its own
// buffers, and the calls use the sets in turn.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	sets, err := arguments.NewTurns(setBytes, inv.Measure.Seed, func(set int) (*bound, int64, error) {
		list, err := functionInputs(p.module, inv, set)
		if err != nil {
			return nil, 0, err
		}
		b, err := p.session.bind(inv.Function, list)
		return b, functions.Bytes(list), err
	}, func(b *bound) { b.close() })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.artifact.Path, err)
	}
	options := p.artifact.Options
	call := &executor.Call{SetBytes: sets.Bytes(), Close: sets.Close, Notes: arguments.NoteFewer(sets, setBytes)}
	first := sets.All()[0]
	call.Work = workload(sets.All(), sets.Next, executor.OnThread{
		Waits: device(options) != defaultDevice, Device: OnDevice(options),
	})
	call.Tracy = p.session.tracyClient()
	if first.profile != nil {
		call.Profile = func(calls int64) (invocations.Profile, error) {
			profile, err := first.profile(calls)
			return withNodes(profile, p.artifact.Built), err
		}
	}
	check := p.check(first, inv, func(text string) { call.Notes = append(call.Notes, text) })
	call.Verify = check.First
	if v := inv.Verify; v.Reference != "" || len(v.Expected) > 0 {
		call.VerifyAgain = check.Again
	}
	return call, nil
}

// functionInputs returns one set of inputs for the function of an invocation. Their number must be that of the
// function's arguments.
func functionInputs(m *vmfb.Module, inv *invocations.Invocation, set int) ([]tensor.Tensor, error) {
	f, known := m.Function(inv.Function)
	if !known {
		near := spelling.Suggest(inv.Function, functions.Names(m))
		return nil, fmt.Errorf("the module has no function %q%s", inv.Function, near)
	}
	list, err := functions.Inputs(inv, set)
	if err != nil {
		return nil, err
	}
	if len(list) != len(f.Arguments) {
		return nil, fmt.Errorf("%d inputs are given and %s takes %d: %s",
			len(list), f.Name, len(f.Arguments), functions.Signature(f))
	}
	return list, nil
}
