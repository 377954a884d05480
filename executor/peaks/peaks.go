// Package peaks measures what the processor itself can do: operations a second by type and instructions, and bytes a
// second by level of the caches. Its kernels are in assembly, so that no compiler decides what is measured, and the
// number of their operations is exact. The package is a runtime like others: its functions are timed, judged and
// reported as those of users are. Its artifact is the program itself, which holds the kernels.
package peaks

import (
	"fmt"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Name is the name of the runtime.
const Name = "peaks"

// Runtime runs the kernels that this processor can run.
type Runtime struct{}

// Name returns the name of the runtime.
func (Runtime) Name() string { return Name }

// Describe returns the functions that this processor can run. They do not depend on the path.
func (Runtime) Describe(path string, _ executor.DescribeOptions) ([]invocations.Description, error) {
	cases := Cases()
	if len(cases) == 0 {
		return nil, ErrNone
	}
	d := invocations.Description{Artifact: invocations.Artifact{Path: path}}
	for _, c := range cases {
		d.Functions = append(d.Functions, invocations.Function{Name: c.Name(), Signature: Name})
	}
	return []invocations.Description{d}, nil
}

// Load has nothing to open: the kernels are in the program.
func (Runtime) Load(invocations.Artifact) (executor.Program, error) { return program{}, nil }

type program struct{}

func (program) Close() error { return nil }

// Prepare finds the case of the function's name, and allocates its memory.
func (program) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if setBytes > 0 {
		return nil, &executor.UnsupportedError{Reason: fmt.Sprintf("mode %q: the kernels of peaks choose their memory "+
			"themselves", inv.Measure.Mode)}
	}
	for _, c := range Cases() {
		if c.Name() == inv.Function {
			return c.prepare(inv.Measure)
		}
	}
	return nil, remedy.With(fmt.Errorf("this processor has no peak %q", inv.Function),
		remedy.Remedy{Kind: remedy.ListPeaks})
}

var _ executor.Runtime = Runtime{}
