// Package functions is about the functions of a module, whatever calls them: how they are described, which inputs an
// invocation gives them, and how their results are compared. It calls nothing, and knows no runtime.
package functions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// Describe returns a function as it can be called. skip is the reason that holds for the whole module.
func Describe(f *vmfb.Function, skip string) invocations.Function {
	out := invocations.Function{Name: f.Name, Signature: Signature(f), Skip: skip}
	for _, v := range f.Arguments {
		a, problem := Argument(v, invocations.Input)
		if problem != "" && out.Skip == "" {
			out.Skip = problem
		}
		out.Arguments = append(out.Arguments, a)
	}
	for _, v := range f.Results {
		a, _ := Argument(v, invocations.Output)
		out.Arguments = append(out.Arguments, a)
	}
	if f.Attributes["iree.abi.model"] != "" && out.Skip == "" {
		out.Skip = "it is called with fences (" + f.Attributes["iree.abi.model"] +
			"), which zonemark does not make; compile the module with synchronous functions"
	}
	return out
}

// Signature returns the types of a function, without names.
func Signature(f *vmfb.Function) string {
	types := func(values []vmfb.Value) string {
		var list []string
		for _, v := range values {
			list = append(list, v.Type.Text)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	return types(f.Arguments) + " -> " + types(f.Results)
}

// storageType is the type of memory without a shape: a caller hands it over for results or for what a function needs
// in between (iree.abi.output, iree.abi.transients), and iree-run-module writes it as "&4xf32".
const storageType = "!hal.buffer"

// Argument turns a value into an argument. The Extent holds what its type leaves open; problem says why it cannot be
// filled. The usage of an argument that is memory without a shape becomes InputOutput.
func Argument(v vmfb.Value, usage invocations.Usage) (a invocations.Argument, problem string) {
	a = invocations.Argument{Name: v.Name, Usage: usage}
	if v.Type.Kind == vmfb.Opaque {
		if v.Type.Text == storageType && usage == invocations.Input {
			a.Usage = invocations.InputOutput
		}
		if v.Type.Text != storageType && !strings.HasPrefix(v.Type.Text, "!hal.buffer_view") && !strings.HasPrefix(v.Type.Text, "!vm.ref") &&
			!strings.HasPrefix(v.Type.Text, "tensor<") {
			problem = fmt.Sprintf("%s is of type %s, which zonemark cannot make", v.Name, v.Type.Text)
		}
		a.Extent = invocations.AnyShape
		return a, problem
	}
	element, known := elementOf(v.Type.Element)
	if !known {
		problem = fmt.Sprintf("%s has elements of type %s, which zonemark cannot fill", v.Name, v.Type.Element)
	}
	a.Element = element
	if v.Type.Kind == vmfb.Scalar {
		a.ByValue = true
		return a, problem
	}
	if !slices.Contains(v.Type.Shape, vmfb.Dynamic) {
		a.Shape = v.Type.Shape
		return a, problem
	}
	var dims []string
	for _, n := range v.Type.Shape {
		if n == vmfb.Dynamic {
			dims = append(dims, invocations.OpenDimension)
			continue
		}
		dims = append(dims, strconv.FormatInt(n, 10))
	}
	a.Extent = strings.Join(dims, "x")
	return a, problem
}

// elementOf returns the type that MLIR writes as name. Indices are numbers of 64 bits in IREE's virtual machine.
func elementOf(name string) (t invocations.ElementType, known bool) {
	if name == "index" {
		return invocations.Int64, true
	}
	return invocations.ParseMLIRName(name)
}

// Names returns the names of the functions of a module, for suggestions.
func Names(m *vmfb.Module) []string {
	names := make([]string, len(m.Functions))
	for i, f := range m.Functions {
		names[i] = f.Name
	}
	return names
}

// Outputs returns results as they are compared. Of the described arguments, the outputs say which integers have a sign,
// and what is in numbers that are returned by value; results themselves do not.
func Outputs(results []tensor.Tensor, described []invocations.Argument) []arguments.Output {
	var declared []invocations.ElementType
	for _, a := range described {
		if a.Usage == invocations.Output {
			declared = append(declared, a.Element)
		}
	}
	list := make([]arguments.Output, len(results))
	for i, r := range results {
		list[i] = arguments.Output{
			Label: fmt.Sprintf("result %d", i), Element: r.Element, Shape: r.Shape, Data: r.Data, Signless: true,
		}
		switch {
		case i >= len(declared):
		case declared[i].SameBits(r.Element):
			list[i].Element = declared[i]
		case r.Scalar && holds(r.Element, declared[i]):
			list[i].Element, list[i].Data = declared[i], r.Data[:declared[i].Size()] // the low bytes come first
		}
	}
	return list
}

// holds reports whether IREE's virtual machine returns numbers of a type in its own type: it has those of 32 and 64
// bits only. Smaller floats are the lower bits of an integer.
func holds(machine, declared invocations.ElementType) bool {
	wide := declared == invocations.Float32 || declared == invocations.Float64
	return declared.Size() > 0 && declared.Size() <= machine.Size() && wide == machine.Float()
}
