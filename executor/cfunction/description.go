package cfunction

import (
	"slices"

	"zonemark/invocations"
)

// Describe writes the arguments, the signature and the single numbers of the function into out. Numbers that have no
// default value get an example, the others the value that they take with the parameters. An error says why the function
// cannot be called with them.
func (t *Prototype) Describe(out *invocations.Function, parameters map[string]string) error {
	out.Signature = t.signature()
	for i := range t.arguments {
		out.Arguments = append(out.Arguments, t.arguments[i].Argument)
	}
	if slices.ContainsFunc(t.arguments, func(a argument) bool { return a.required }) {
		for i := range t.arguments {
			if a := &t.arguments[i]; a.settable() {
				out.Parameters = append(out.Parameters, invocations.Parameter{Name: a.Name, Example: t.example(a)})
			}
		}
		return nil
	}
	b, err := t.bind(parameters, nil, 0)
	if err != nil {
		return err
	}
	out.Parameters = b.parameters()
	return nil
}
