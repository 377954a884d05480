package functions

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// maxInputBytes limits one input: a larger shape is a mistake.
const maxInputBytes = 1 << 40

// Fits reports whether a result of a function can be a tensor that another one takes.
func Fits(result vmfb.Value, t *tensor.Tensor) bool {
	a, problem := Argument(result, invocations.Output)
	if problem != "" || a.ByValue || t.Scalar || t.Storage || !a.Element.SameBits(t.Element) {
		return false
	}
	if a.Extent != "" {
		return invocations.FitsExtent(a.Extent, t.Shape)
	}
	return slices.Equal(a.Shape, t.Shape)
}

// Inputs returns the arguments of an invocation that go into the function, filled for one of several sets.
func Inputs(inv *invocations.Invocation, set int) ([]tensor.Tensor, error) {
	var list []tensor.Tensor
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		if a.Usage == invocations.Output {
			if a.Fill != invocations.FillDefault {
				return nil, fmt.Errorf("%s is a result of %s, which takes %d inputs; leave it out",
					a.Name, inv.Function, len(list))
			}
			continue
		}
		t, err := fillInput(a, arguments.Seed(inv.Measure.Seed, i, set, 0))
		if err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", a.Name, inv.Function, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// fillInput fills one input. If neither the module nor the user states its type or shape, they are those of the file
// that fills it.
func fillInput(a *invocations.Argument, seed uint64) (tensor.Tensor, error) {
	t := tensor.Tensor{Element: a.Element, Shape: a.Shape, Scalar: a.ByValue, Storage: a.Usage == invocations.InputOutput}
	if err := signOf(a, &t.Element); err != nil {
		return t, err
	}
	if t.Shape == nil && a.Extent != "" || t.Element == "" {
		if a.Fill != invocations.FillFile {
			return t, remedy.With(fmt.Errorf("its type is %s, which leaves the shape to the caller", typeText(a)),
				remedy.Remedy{Kind: remedy.Shape, Value: ExampleOf(a)})
		}
		shape, err := values.FileShape(a.Contents)
		if err == nil && t.Element == "" {
			t.Element, _, err = values.FileType(a.Contents)
		}
		if err != nil {
			return t, err
		}
		if a.Extent != "" && !invocations.FitsExtent(a.Extent, shape) {
			return t, fmt.Errorf("%s holds an array of shape %v and its type is %s", a.Path, shape, typeText(a))
		}
		t.Shape = shape
	}
	size, ok := ByteSize(&t)
	if !ok {
		size = -1 // it is refused
	}
	var err error
	if t.Data, err = arguments.Bytes(t.Type(), size); err != nil {
		return t, err
	}
	return t, demoted(a, t.Element, values.Fill(t.Data, t.Element, a.Contents, seed))
}

// demoted adds to the error of an input of 64-bit floats that the compiler makes 32-bit ones of them unless it is told
// not to.
func demoted(a *invocations.Argument, element invocations.ElementType, err error) error {
	if err == nil || a.Fill != invocations.FillFile || element != invocations.Float32 {
		return err
	}
	if held, _, e := values.FileType(a.Contents); e != nil || held != invocations.Float64 {
		return err
	}
	return remedy.With(err, remedy.Remedy{
		Kind: remedy.Say, Name: "compile-flags", Value: "--iree-input-demote-f64-to-f32=false that the compiler keeps f64",
	}, remedy.Remedy{Kind: remedy.Act, Value: "save the input as float32"})
}

// signOf gives integers the sign that those in a file have: the types of MLIR say none.
func signOf(a *invocations.Argument, element *invocations.ElementType) error {
	if a.Fill != invocations.FillFile || *element == "" || element.Float() || *element == invocations.Bool {
		return nil
	}
	if raw, err := values.IsRaw(a.Path); raw || err != nil {
		return err
	}
	held, _, err := values.FileType(a.Contents)
	if held.SameBits(*element) {
		*element = held
	}
	return err
}

// ByteSize returns the size of a tensor's elements, and false if it is beyond any memory.
func ByteSize(t *tensor.Tensor) (int64, bool) {
	size := t.Element.Size()
	for _, n := range t.Shape {
		if n < 0 || n > 0 && size > maxInputBytes/n {
			return 0, false
		}
		size *= n
	}
	return size, size <= maxInputBytes
}

// typeText returns the type of an argument, with "?" for open dimensions: "?x4xf32".
func typeText(a *invocations.Argument) string {
	element := invocations.MLIRName(a.Element)
	if element == "" {
		element = "?"
	}
	return a.Extent + "x" + element
}

// ExampleOf returns the type of a tensor that the argument could be.
func ExampleOf(a *invocations.Argument) string {
	element := invocations.MLIRName(a.Element)
	if element == "" {
		element = "f32"
	}
	shape := a.Extent
	if shape == invocations.AnyShape || shape == "" {
		shape = "4x4"
	}
	return strings.ReplaceAll(shape, invocations.OpenDimension, "16") + "x" + element
}

// Bytes returns the total size of inputs.
func Bytes(list []tensor.Tensor) (total int64) {
	for i := range list {
		total += int64(len(list[i].Data))
	}
	return total
}
