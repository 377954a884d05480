// Package command runs whole commands: programs of the user with their arguments, each call in a process of its own. A
// call is timed from just before the process is started to just after it ended, and what its processes took is read
// from the system. A program calls functions of Python, too. It lives longer than one call and times the calls itself.
//
// Commands are not confined. They do what the user's own shell would let them do: write files, start children, use the
// network. Only the executor's death, and a time limit, end all that belongs to their process group.
//
// The package knows nothing of command lines, searches no program, and parses no output but the answers of that
// program.
package command

import (
	"fmt"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Name is the name of the runtime.
const Name = "command"

// Runtime runs commands.
type Runtime struct{}

// Name returns the name that a user writes after --runtime.
func (Runtime) Name() string { return Name }

// Describe returns the only function of a program. Every program is one: only the system can tell whether it runs.
func (Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	if _, err := parseOptions(o.Options); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []invocations.Description{{
		Artifact:  invocations.Artifact{Path: path},
		Functions: []invocations.Function{{Name: invocations.CommandFunction, Signature: "command"}},
	}}, nil
}

// program is the file of a command.
type program struct {
	path    string
	options options
}

// Load checks the options. Nothing stays open.
func (Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	o, err := parseOptions(artifact.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return &program{path: artifact.Path, options: o}, nil
}

// Close has nothing to close.
func (*program) Close() error { return nil }

// Prepare opens what the processes of a command get, and starts none.
func (p *program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	switch {
	case setBytes > 0:
		return nil, remedy.With(&executor.UnsupportedError{
			Reason: fmt.Sprintf("mode %q: a command has no arguments in memory", inv.Measure.Mode),
		}, remedy.Remedy{Kind: remedy.EmptyCaches})
	case inv.Verify.Reference != "" || len(inv.Verify.Expected) > 0:
		return nil, fmt.Errorf("%s: a command has no outputs to compare; leave out what is expected of them", p.path)
	}
	r, err := newRunner(p, inv)
	if err != nil {
		return nil, err
	}
	call := &executor.Call{
		Work: &executor.Process{Run: r.call}, Properties: r.properties, Close: r.close,
		Notes: []string{"a command is not confined: it runs with the rights of the user, and may write files and start " +
			"other programs"},
	}
	r.note = func(text string) { call.Notes = append(call.Notes, text) }
	if p.options.setup != "" || inv.Measure.CheckOnly {
		call.Verify = func(phase func(string)) (string, error) { return "", r.setUp(phase, inv.Measure.CheckOnly) }
	}
	return call, nil
}

var _ executor.Runtime = Runtime{}
