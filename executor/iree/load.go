package iree

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor"
	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/tracy"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Runtime runs IREE modules.
type Runtime struct{ Installation Installation }

// Exit implements executor.Exiter for traced executors; see Installation.Exit.
func (r Runtime) Exit(status int) error { return r.Installation.Exit(status) }

// Name returns what a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Name is the name of the runtime.
const Name = "iree"

// Load opens the module in the way of running that its options ask for. It checks versions and processor before it
// loads anything: a module of another version is an error, and one for another processor an *executor.UnsupportedError.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	way, err := r.Installation.choose(artifact.Options)
	if err != nil {
		return nil, err
	}
	m, err := loadChecks(artifact, r.Installation.Version, way.name())
	if err != nil {
		return nil, err
	}
	s, err := way.open(artifact)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return &program{session: s, module: m, artifact: artifact, others: r.Installation.providers()}, nil
}

// loadChecks reads the module and refuses it if a runtime of the version would not run it.
func loadChecks(artifact invocations.Artifact, version, way string) (*vmfb.Module, error) {
	file, err := moduleFile(artifact)
	if err != nil {
		return nil, err
	}
	m, err := vmfb.Read(file)
	if err != nil {
		return nil, err
	}
	if reason := wrongMachine(m, device(artifact.Options)); reason != "" {
		return nil, &executor.UnsupportedError{Reason: reason}
	}
	if runs, known := versionsOf(version); known && way != ProviderDispatch {
		if err := runs.check(m); err != nil && callable(m) {
			return nil, fmt.Errorf("%s: %w, or measure its dispatches alone as they are, by --mode dispatch", file, err)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return m, nil
}

// moduleFile returns the path of the module of an artifact: the built one, or the one that the plan of its dispatches
// belongs to.
func moduleFile(a invocations.Artifact) (string, error) {
	switch {
	case strings.HasSuffix(a.Built, planExtension):
		p, err := dispatchplan.Read(a.Built)
		if err != nil {
			return "", err
		}
		return planModule(a.Built, p), nil
	case a.Built != "":
		return a.Built, nil
	case isSource(a.Path):
		return "", fmt.Errorf("%s: %w", a.Path, errNotBuilt)
	}
	return a.Path, nil
}

// planModule returns the path of the module of a plan.
func planModule(path string, p *dispatchplan.Plan) string {
	if filepath.IsAbs(p.Module) {
		return p.Module
	}
	return filepath.Join(filepath.Dir(path), p.Module)
}

// program is a loaded module.
type program struct {
	session  session
	module   *vmfb.Module
	artifact invocations.Artifact
	others   []provider // other ways of running the module, for comparison
}

// TracyClient returns the client of the loaded runtime.
func (p *program) TracyClient() *tracy.Client { return p.session.tracyClient() }

// Close unloads the module.
func (p *program) Close() error { return p.session.close() }

// dispatcher is implemented by a session whose functions are dispatches. It makes their buffers itself.
type dispatcher interface {
	bindDispatch(inv *invocations.Invocation, set int) (bound, error)
}

// checker is implemented by a bound function that knows what its results should be.
type checker interface {
	// check compares as executor.Call.Verify does. It may add notes.
	check(p *program, inv *invocations.Invocation, phase func(string), note func(string)) (mismatch string, err error)
}

// Prepare binds the function to filled inputs. It makes as many sets as take setBytes together, each with its own
// buffers, and the calls use the sets in turn.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	sets, err := p.bindAll(inv, setBytes)
	if err != nil {
		return nil, err
	}
	options := p.artifact.Options
	call := &executor.Call{SetBytes: sets.Bytes(), Close: sets.Close, Notes: arguments.NoteFewer(sets, setBytes)}
	thread := executor.OnThread{Waits: device(options) != defaultDevice, Device: OnDevice(options)}
	first := sets.All()[0]
	if _, ok := first.(framed); ok {
		work := &executor.Native{OnThread: thread}
		if err := frame(work, sets.All()); err != nil {
			sets.Close()
			return nil, err
		}
		call.Work = work
	} else {
		call.Work = &executor.Function{OnThread: thread, Invoke: func() error { return sets.Next().invoke() }}
	}
	if source, ok := first.(profiler); ok {
		call.Profile = source.profile
	}
	call.Verify = func(phase func(string)) (string, error) {
		note := func(text string) { call.Notes = append(call.Notes, text) }
		if own, ok := first.(checker); ok {
			return own.check(p, inv, phase, note)
		}
		return p.verify(first, inv, phase, note)
	}
	if v := inv.Verify; v.Reference != "" || len(v.Expected) > 0 {
		call.VerifyAgain = func(phase func(string)) (string, error) {
			if _, ok := first.(checker); ok { // it compares calls of all dispatches, not those that are timed
				return "", nil
			}
			return p.verify(first, inv, phase, func(string) {})
		}
	}
	return call, nil
}

// bindAll makes sets until they take enough bytes. The size of a set is that of its inputs, or for a dispatch that of
// its buffers.
func (p *program) bindAll(inv *invocations.Invocation, setBytes int64) (*arguments.Turns[bound], error) {
	sets, err := arguments.NewTurns(setBytes, inv.Measure.Seed, func(set int) (bound, int64, error) {
		return p.bindSet(inv, set)
	}, bound.close)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.artifact.Path, err)
	}
	return sets, nil
}

func (p *program) bindSet(inv *invocations.Invocation, set int) (bound, int64, error) {
	if d, ok := p.session.(dispatcher); ok {
		b, err := d.bindDispatch(inv, set)
		if err != nil {
			return nil, 0, err
		}
		sized, ok := b.(interface{ bytes() int64 })
		if !ok {
			return b, 0, nil
		}
		return b, sized.bytes(), nil
	}
	list, err := functionInputs(p.module, inv, set)
	if err != nil {
		return nil, 0, err
	}
	b, err := p.session.bind(inv.Function, list)
	return b, inputBytes(list), err
}

// functionInputs returns one set of inputs for the function of an invocation. Their number must be that of the
// function's arguments.
func functionInputs(m *vmfb.Module, inv *invocations.Invocation, set int) ([]tensor.Tensor, error) {
	f, known := m.Function(inv.Function)
	if !known {
		near := spelling.Suggest(inv.Function, functionNames(m))
		return nil, fmt.Errorf("the module has no function %q%s", inv.Function, near)
	}
	list, err := inputs(inv, set)
	if err != nil {
		return nil, err
	}
	if len(list) != len(f.Arguments) {
		return nil, fmt.Errorf("%d inputs are given and %s takes %d: %s",
			len(list), f.Name, len(f.Arguments), signature(f))
	}
	return list, nil
}

// functionNames returns the names of the functions of a module, for suggestions.
func functionNames(m *vmfb.Module) []string {
	names := make([]string, len(m.Functions))
	for i, f := range m.Functions {
		names[i] = f.Name
	}
	return names
}

// frame collects the frames of all sets, which are called in turn.
func frame(work *executor.Native, sets []bound) error {
	var failed []func() error
	for i, b := range sets {
		direct, ok := b.(framed)
		if !ok {
			return errors.New("some sets of inputs can be called directly and others cannot")
		}
		one := &executor.Native{}
		if err := direct.frame(one); err != nil {
			return err
		}
		if i == 0 {
			work.Entry, work.Lines = one.Entry, one.Lines
			work.CallsPerInvocation, work.FlushDenormals = one.CallsPerInvocation, one.FlushDenormals
		}
		work.Frames = append(work.Frames, one.Frames...)
		if one.Failed != nil {
			failed = append(failed, one.Failed)
		}
	}
	if len(failed) > 0 {
		work.Failed = func() error {
			for _, f := range failed {
				if err := f(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return nil
}
