package dispatchmode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// Input is the type of an input that a user gives.
type Input struct {
	Name    string // or position; empty: it is for the first input that no other one is for
	Element invocations.ElementType
	Shape   []int64 // nil: it is not known
}

// types returns the types of a function's inputs: those that it declares, and the given ones where it leaves them to
// its caller. missing says why they are not known.
func (r *Recorder) types(f *vmfb.Function) (types []string, missing dispatchplan.Unrecorded) {
	given := r.given(f)
	for i, v := range f.Arguments {
		a, problem := functions.Argument(v, invocations.Input)
		open := a.Shape == nil && !a.ByValue
		if g, known := given[i]; known && open && g.Shape != nil && invocations.FitsExtent(a.Extent, g.Shape) {
			a.Shape, open = g.Shape, false
			if a.Element == "" {
				a.Element, problem = g.Element, ""
			}
		}
		switch {
		case open || a.Element == "":
			return nil, dispatchplan.Unrecorded{
				Reason: fmt.Sprintf("%s is %s, which leaves its shape to the caller", v.Name, v.Type.Text),
				Shape:  functions.ExampleOf(&a),
			}
		case problem != "":
			return nil, dispatchplan.Unrecorded{Reason: problem}
		}
		types = append(types, invocations.TensorShape(a.Element, a.Shape))
	}
	return types, missing
}

// given returns the given inputs by the positions of the arguments that they are for. What does not fit is refused when
// the invocation is planned.
func (r *Recorder) given(f *vmfb.Function) map[int]Input {
	places, next := map[int]Input{}, 0
	for _, in := range r.Inputs {
		at := slices.IndexFunc(f.Arguments, func(v vmfb.Value) bool { return v.Name == in.Name })
		if n, err := strconv.Atoi(in.Name); at < 0 && err == nil {
			at = n
		}
		if in.Name != "" {
			places[at] = in
		}
	}
	for _, in := range r.Inputs {
		if in.Name != "" {
			continue
		}
		for ; ; next++ {
			if _, taken := places[next]; !taken {
				break
			}
		}
		places[next] = in
	}
	return places
}

// declared reports whether the types of all results are known.
func declared(f *vmfb.Function) bool {
	return !slices.ContainsFunc(f.Results, func(v vmfb.Value) bool {
		a, problem := functions.Argument(v, invocations.Output)
		return problem != "" || a.Shape == nil && !a.ByValue
	})
}

// printedTypes returns the types of the results that iree-run-module prints: "hal.buffer_view", and "4x3xf32=[0.08 ..."
// on the next line.
func printedTypes(text []byte) (types []string) {
	result := false
	for line := range strings.Lines(string(text)) {
		if kind, _, found := strings.Cut(line, "="); result && found {
			if a, err := invocations.ParseTensor(kind); err == nil {
				types = append(types, invocations.TensorShape(a.Element, a.Shape))
			}
		}
		result = strings.TrimSpace(line) == "hal.buffer_view"
	}
	return types
}
