package iree

import (
	"errors"
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// check calls all dispatches of the function that the dispatch belongs to, in order. It compares their results with
// those of the whole function under a runtime, if there is one, and with what the user expects.
func (b *boundDispatch) check(
	p *program, inv *invocations.Invocation, phase func(string), note func(string),
) (mismatch string, err error) {
	switch {
	case !b.recorded:
		note("the results were not compared with anything: workgroups, bindings or constants are the user's")
		return "", nil
	case b.preceding != "":
		note("the results were not compared with those of the whole function: " + b.preceding)
		return "", nil
	}
	plan := b.variant.function
	whole := *inv
	whole.Function, whole.Parameters, whole.Arguments = plan.Name, nil, nil
	f, known := p.module.Function(plan.Name)
	if !known {
		return "", fmt.Errorf("the plan is of function %q, which the module does not have: record it again", plan.Name)
	}
	whole.Arguments = describeFunction(f, "").Arguments
	for i := range min(len(inv.Arguments), len(f.Arguments)) {
		whole.Arguments[i].Contents = inv.Arguments[i].Contents
	}
	phase("verify")
	got, err := b.chain(plan, f, inv)
	if err != nil {
		return "", err
	}
	outputs := outputsOf(got)
	arguments.NoteNaN(outputs, note)
	mismatch, err = arguments.CompareExpected(outputs, inv.Verify.Expected, inv.Verify.Tolerance)
	if mismatch != "" || err != nil {
		return mismatch, err
	}
	phase("reference")
	var want []tensor.Tensor
	var why string
	platform.KeepActions(func() { want, why = p.wholeFunction(&whole) }) // the dispatch is measured without that runtime
	if why != "" {
		note("the results were not compared with those of the whole function: " + why)
		return "", nil
	}
	return arguments.Compare(outputs, outputsOf(want), inv.Verify.Tolerance), nil
}

// wholeFunction runs a function under the first runtime that can run it. why says why none did.
func (p *program) wholeFunction(inv *invocations.Invocation) (results []tensor.Tensor, why string) {
	artifact := p.artifact
	var err error
	if artifact.Built, err = moduleFile(p.artifact); err != nil {
		return nil, err.Error()
	}
	why = "no IREE runtime is installed"
	for _, candidate := range p.others {
		if candidate.name() == ProviderDispatch || candidate.missing() != nil {
			continue
		}
		if results, err = runWith(candidate, artifact, inv); err == nil {
			return results, ""
		}
		why = fmt.Sprintf("%s: %v", candidate.name(), err)
	}
	return nil, why
}

// runWith calls a function once in one way of running.
func runWith(way provider, artifact invocations.Artifact, inv *invocations.Invocation) ([]tensor.Tensor, error) {
	s, err := way.open(artifact)
	if err != nil {
		return nil, err
	}
	results, err := runOnce(s, inv.Function, inv)
	return results, errors.Join(err, s.close())
}

// chain calls the dispatches of a function in order, on buffers of their own, and returns the results.
func (b *boundDispatch) chain(
	plan *dispatchplan.Function, f *vmfb.Function, inv *invocations.Invocation,
) ([]tensor.Tensor, error) {
	c := &boundDispatch{session: b.session, variant: b.variant}
	defer c.close()
	if err := c.allocate(plan.Buffers, plan.Inputs, inv, 0); err != nil {
		return nil, err
	}
	for i := range plan.Dispatches {
		if err := c.callOnce(&plan.Dispatches[i]); err != nil {
			return nil, fmt.Errorf("dispatch %s: %w", plan.Dispatches[i].Name, err)
		}
	}
	var results []tensor.Tensor
	for i, r := range plan.Outputs {
		a, problem := argument(f.Results[i], invocations.Output)
		if problem != "" || a.Shape == nil {
			return nil, fmt.Errorf("result %s: its type %s is not known", f.Results[i].Name, f.Results[i].Type.Text)
		}
		t := tensor.Tensor{Element: a.Element, Shape: a.Shape}
		size, ok := byteSize(&t)
		if !ok || size > r.Bytes {
			return nil, fmt.Errorf("result %s takes %d bytes and the plan has %d: record it again",
				a.Name, size, r.Bytes)
		}
		t.Data = append([]byte(nil), c.buffers[r.Buffer][r.Offset:r.Offset+size]...)
		results = append(results, t)
	}
	return results, nil
}
