package iree

import (
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// check compares the results of calls with the expected ones, and with those of the reference on the same inputs. The
// first notes results that are NaN.
func (p *program) check(b *bound, inv *invocations.Invocation, note func(string)) *arguments.Check {
	written := func(results []tensor.Tensor, err error) (arguments.Written, error) {
		outputs := functions.Outputs(results, inv.Arguments)
		return arguments.Written{Compared: outputs, Outputs: outputs, Release: func() {}}, err
	}
	c := &arguments.Check{Of: inv.Function, Verify: inv.Verify, Note: note}
	c.Measured = func() (arguments.Written, error) { return written(b.call()) }
	c.Fresh = func() (arguments.Written, error) {
		w, err := c.Measured()
		arguments.NoteNaN(w.Outputs, note)
		return w, err
	}
	if inv.Verify.Reference != "" {
		c.Reference = func() (arguments.Written, error) { return written(p.reference(inv)) }
	}
	return c
}

// reference calls another function of the module on the same inputs.
func (p *program) reference(inv *invocations.Invocation) ([]tensor.Tensor, error) {
	f, known := p.module.Function(inv.Verify.Reference)
	if !known {
		near := spelling.Suggest(inv.Verify.Reference, functions.Names(p.module))
		return nil, fmt.Errorf("the module has no reference function %q%s", inv.Verify.Reference, near)
	}
	return runOnce(p.session, f.Name, inv)
}

// runOnce calls a function of a session on the first set of an invocation's inputs.
func runOnce(s session, function string, inv *invocations.Invocation) ([]tensor.Tensor, error) {
	list, err := functions.Inputs(inv, 0)
	if err != nil {
		return nil, err
	}
	b, err := s.bind(function, list)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return b.call()
}

// call calls a function and returns its results.
func (b *bound) call() ([]tensor.Tensor, error) {
	if err := b.invoke(); err != nil {
		return nil, err
	}
	return b.outputs()
}
