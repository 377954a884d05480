package dispatchmode

import (
	"fmt"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// check calls all dispatches of the function that the dispatch belongs to, in order. It compares their results with
// those of the whole function under a runtime, if there is one, and with what the user expects.
func (b *bound) check(
	inv *invocations.Invocation, phase func(string), note func(string),
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
	f, known := b.program.module.Function(plan.Name)
	if !known {
		return "", fmt.Errorf("the plan is of function %q, which the module does not have: record it again", plan.Name)
	}
	whole.Arguments = functions.Describe(f, "").Arguments
	for i := range min(len(inv.Arguments), len(f.Arguments)) {
		whole.Arguments[i] = inv.Arguments[i]
	}
	phase("verify")
	got, err := b.program.chain(plan, f, inv)
	if err != nil {
		return "", err
	}
	outputs := functions.Outputs(got, whole.Arguments)
	arguments.NoteNaN(outputs, note)
	how := arguments.Comparison{Tolerance: inv.Verify.Tolerance, Note: note}
	mismatch, err = how.Expected(outputs, inv.Verify.Expected)
	if mismatch != "" || err != nil {
		return mismatch, err
	}
	phase("reference")
	var want []tensor.Tensor
	var why string
	platform.KeepActions(func() { want, why = b.program.whole(&whole) }) // the dispatch is measured without that runtime
	if why != "" {
		note("the results were not compared with those of the whole function: " + why)
		return "", nil
	}
	return how.Compare(outputs, functions.Outputs(want, whole.Arguments)), nil
}

// chain calls the dispatches of a function in order, on buffers of their own, and returns the results.
func (p *Program) chain(
	plan *dispatchplan.Function, f *vmfb.Function, inv *invocations.Invocation,
) ([]tensor.Tensor, error) {
	c := &bound{program: p}
	defer c.close()
	if err := c.allocate(plan.Buffers, plan.Inputs, plan.Setup, inv, 0); err != nil {
		return nil, err
	}
	for i := range plan.Dispatches {
		if err := c.step(&plan.Dispatches[i]); err != nil {
			return nil, fmt.Errorf("dispatch %s: %w", plan.Dispatches[i].Name, err)
		}
	}
	if err := c.operate(plan.After); err != nil {
		return nil, err
	}
	var results []tensor.Tensor
	for i, r := range plan.Outputs {
		a, problem := functions.Argument(f.Results[i], invocations.Output)
		if len(plan.Results) > 0 {
			declared, err := invocations.ParseTensor(plan.Results[i])
			if err != nil {
				return nil, fmt.Errorf("result %s of its plan: %w", f.Results[i].Name, err)
			}
			a, problem = declared, ""
		}
		if problem != "" || a.Shape == nil {
			return nil, fmt.Errorf("result %s: its type %s is not known", f.Results[i].Name, f.Results[i].Type.Text)
		}
		t := tensor.Tensor{Element: a.Element, Shape: a.Shape}
		size, ok := functions.ByteSize(&t)
		if !ok || size > r.Bytes {
			return nil, fmt.Errorf("result %s takes %d bytes and the plan has %d: record it again",
				a.Name, size, r.Bytes)
		}
		t.Data = append([]byte(nil), c.buffers[r.Buffer][r.Offset:r.Offset+size]...)
		results = append(results, t)
	}
	return results, nil
}
