package dispatchmode

import (
	"fmt"
	"strings"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// variant is an export together with what one function calls it with; function is nil if no call of it was
// recorded.
type variant struct {
	name            string
	library, export int // positions in the module
	dispatch        vmfb.DispatchFunction
	function        *dispatchplan.Function
	position        int // position of the call among the function's dispatches
}

// variants returns the exports for this machine in file order. An export that is called in several ways occurs
// once for each way: the first by its name, the others as NAME@2 and so on.
func variants(m *vmfb.Module, plan *dispatchplan.Plan) (list []variant) {
	calls := distinctCalls(plan)
	for _, library := range librariesFor(m, vmfb.Here) {
		for export, dispatch := range m.Libraries[library].Dispatches {
			v := variant{name: dispatch.Name, library: library, export: export, dispatch: dispatch}
			recorded := calls[exportPosition{library, export}]
			if len(recorded) == 0 {
				list = append(list, v)
			}
			for i, call := range recorded {
				if i > 0 {
					v.name = fmt.Sprintf("%s@%d", dispatch.Name, i+1)
				}
				v.function, v.position = call.function, call.position
				list = append(list, v)
			}
		}
	}
	return list
}

// variant finds a dispatch by the name that Describe gives it.
func (p *Program) variant(name string) (*variant, error) {
	var names []string
	for _, v := range variants(p.module, p.plan) {
		if v.name == name {
			return &v, nil
		}
		names = append(names, v.name)
	}
	if near := spelling.Suggest(name, names); near != "" {
		return nil, fmt.Errorf("the module has no dispatch %q%s", name, near)
	}
	return nil, fmt.Errorf("the module has no dispatch %q; it has %s", name, strings.Join(names, ", "))
}

// exportPosition is the position of an export in a module.
type exportPosition struct{ library, export int }

// recordedCall is a call of an export by a function of a plan.
type recordedCall struct {
	function *dispatchplan.Function
	position int // position among the function's dispatches
}

// distinctCalls returns the recorded calls of each export, in the order of the plan. Of calls that do the same work, it
// returns the first.
func distinctCalls(plan *dispatchplan.Plan) map[exportPosition][]recordedCall {
	calls := map[exportPosition][]recordedCall{}
	type work struct {
		exportPosition
		key string
	}
	seen := map[work]bool{}
	for i := range plan.Functions {
		f := &plan.Functions[i]
		for position := range f.Dispatches {
			d := &f.Dispatches[position]
			export := exportPosition{d.Library, d.Ordinal}
			if w := (work{export, callKey(d)}); !seen[w] {
				seen[w] = true
				calls[export] = append(calls[export], recordedCall{f, position})
			}
		}
	}
	return calls
}

// callKey returns a text that is equal for calls that do the same work.
func callKey(d *dispatchplan.Step) string {
	key := fmt.Sprint(d.Workgroups, d.Constants)
	for _, b := range d.Bindings {
		key += fmt.Sprintf(" %d+%d", b.Offset%64, b.Bytes)
	}
	return key
}

// describe returns the dispatch as a function. Its arguments are the inputs of the function that it belongs to: the
// preceding dispatches compute from them what it works on.
func (v *variant) describe(m *vmfb.Module, skip string) invocations.Function {
	f := invocations.Function{
		Name:      v.name,
		Skip:      skip,
		Signature: fmt.Sprintf("%d bindings, %d constants", v.dispatch.Bindings, v.dispatch.Constants),
	}
	f.Parameters = []invocations.Parameter{{Name: parameterWorkgroups}, {Name: parameterBindings}}
	if v.dispatch.Constants > 0 {
		f.Parameters = append(f.Parameters, invocations.Parameter{Name: parameterConstants})
	}
	if v.function == nil {
		f.Note = "how it is called was not recorded; say --param workgroups=16x1x1 --param bindings=BYTES:BYTES…"
		return f
	}
	if whole, known := m.Function(v.function.Name); known && v.function.Incomplete == "" {
		for _, a := range functions.Describe(whole, "").Arguments {
			if a.Usage == invocations.Input {
				f.Arguments = append(f.Arguments, a)
			}
		}
	}
	return f
}

// detail returns how the dispatch is called, for "zonemark list". It is empty if that was not recorded.
func (v *variant) detail() string {
	if v.function == nil {
		return ""
	}
	w := v.function.Dispatches[v.position].Workgroups
	return fmt.Sprintf("%s is dispatch %d of %s, %d×%d×%d workgroups",
		v.name, v.position, v.function.Name, w[0], w[1], w[2])
}
