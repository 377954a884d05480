package iree

import (
	"zonemark/executor"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

// Runtime runs IREE modules.
type Runtime struct{ Installation Installation }

// Name is what a user writes after --runtime.
func (Runtime) Name() string { return "iree" }

// Load opens the module by the way of running that its options ask for.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	way, err := r.Installation.choose(artifact.Options)
	if err != nil {
		return nil, err
	}
	s, err := way.open(artifact)
	if err != nil {
		return nil, err
	}
	return &program{session: s}, nil
}

// program is a loaded module.
type program struct{ session session }

// TracyClient is the client of the loaded runtime.
func (p *program) TracyClient() *tracy.Client { return p.session.tracyClient() }

// Close unloads the module.
func (p *program) Close() error { return p.session.close() }

// Prepare binds the inputs.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	return nil, &executor.UnsupportedError{Reason: "binding is not there"}
}
