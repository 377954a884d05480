package dispatchmode

import (
	"fmt"
	"strings"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
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
	// unrecorded says why no call was recorded, if none was.
	unrecorded dispatchplan.Unrecorded
}

// notRecorded is why no call of a dispatch was recorded if nothing more is known.
const notRecorded = "how it is called was not recorded"

// whyUnrecorded returns why no call of some dispatches of a plan was recorded: the reason of the function of which none
// was, if there is one.
func whyUnrecorded(plan *dispatchplan.Plan) dispatchplan.Unrecorded {
	if len(plan.Unrecorded) == 0 {
		return dispatchplan.Unrecorded{Reason: notRecorded}
	}
	u := plan.Unrecorded[0]
	u.Reason = notRecorded + ": " + u.Reason
	return u
}

// noParameters is in what IREE says of a module whose parameters are in files that nobody names.
const noParameters = "no provider registered that handles scopes"

// unrecordedError returns the error for a call that is not recorded and that the user does not describe.
func (v *variant) unrecordedError() error {
	var list []remedy.Remedy
	said := remedy.Remedy{
		Kind: remedy.Values, Value: parameterWorkgroups + "=16x1x1\n" + parameterBindings + "=BYTES:BYTES…",
	}
	switch u := v.unrecorded; {
	case strings.Contains(u.Reason, noParameters):
		list = []remedy.Remedy{{Kind: remedy.File, Name: "parameter-files", Value: "its weights"}, said}
	case u.Shape != "":
		list = []remedy.Remedy{{Kind: remedy.Shape, Value: u.Shape}, said}
	case u.Name == "":
		list = []remedy.Remedy{{Kind: remedy.Install, Name: "iree"}, said}
	default:
		list = []remedy.Remedy{said}
	}
	return remedy.New(v.unrecorded.Reason, list...)
}

// variants returns the exports for this machine in file order. An export that is called in several ways occurs
// once for each way: the first by its name, the others as NAME@2 and so on. The names of exports of modules that the
// module calls begin with those of their modules.
func variants(m *vmfb.Module, plan *dispatchplan.Plan) (list []variant) {
	calls := distinctCalls(plan)
	for _, library := range librariesFor(m, vmfb.Here) {
		for export, dispatch := range m.Libraries[library].Dispatches {
			v := variant{
				name: dispatch.Name, library: library, export: export, dispatch: dispatch, unrecorded: whyUnrecorded(plan),
			}
			of := m.Libraries[library].Of
			if of != "" {
				v.name = of + "." + dispatch.Name
			}
			recorded := calls[exportPosition{library, export}]
			if len(recorded) == 0 && of == "" { // other modules may have much that this one does not call
				list = append(list, v)
			}
			name := v.name
			for i, call := range recorded {
				if i > 0 {
					v.name = fmt.Sprintf("%s@%d", name, i+1)
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
		f.Note = v.unrecorded.Reason
		if v.unrecorded.Shape != "" { // inputs of that function are given, but not enough of them
			f.Arguments = inputsOf(m, v.unrecorded.Name)
		}
		return f
	}
	if v.function.Incomplete == "" {
		f.Arguments = inputsOf(m, v.function.Name)
	}
	return f
}

// inputsOf returns the inputs of a function.
func inputsOf(m *vmfb.Module, function string) (list []invocations.Argument) {
	whole, known := m.Function(function)
	if !known {
		return nil
	}
	for _, a := range functions.Describe(whole, "").Arguments {
		if a.Usage != invocations.Output {
			list = append(list, a)
		}
	}
	return list
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
