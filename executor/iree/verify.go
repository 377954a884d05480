package iree

import (
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// verify calls the function once. It compares its results with the expected ones, or with those of the reference on the
// same inputs, and notes results that are NaN.
func (p *program) verify(
	b *bound, inv *invocations.Invocation, phase func(string), note func(string),
) (mismatch string, err error) {
	var want []tensor.Tensor
	if inv.Verify.Reference != "" {
		phase("reference")
		if want, err = p.reference(inv); err != nil {
			return "", err
		}
	}
	phase("verify")
	if err := b.invoke(); err != nil {
		return "", err
	}
	got, err := b.outputs()
	if err != nil {
		return "", err
	}
	outputs := functions.Outputs(got, inv.Arguments)
	arguments.NoteNaN(outputs, note)
	how := arguments.Comparison{Tolerance: inv.Verify.Tolerance, Note: note}
	mismatch, err = how.Expected(outputs, inv.Verify.Expected)
	if mismatch != "" || err != nil || inv.Verify.Reference == "" {
		return mismatch, err
	}
	return how.Compare(outputs, functions.Outputs(want, inv.Arguments)), nil
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
	if err := b.invoke(); err != nil {
		return nil, err
	}
	return b.outputs()
}
