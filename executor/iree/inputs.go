package iree

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/platform"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// maxInputBytes bounds one input: beyond it a shape is a mistake.
const maxInputBytes = 1 << 40

// inputs are the arguments of an invocation that go into the function, filled for one set of several.
func inputs(inv *invocations.Invocation, set int) ([]tensor.Tensor, error) {
	var list []tensor.Tensor
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		if a.Usage == invocations.Output {
			if a.Fill != invocations.FillDefault {
				return nil, fmt.Errorf("%s is a result of %s, which takes %d inputs; leave it out", a.Name, inv.Function, len(list))
			}
			continue
		}
		t, err := fillInput(a, fillSeed(inv.Measure.Seed, i, set))
		if err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", a.Name, inv.Function, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// fillSeed gives every input of every set random contents of its own.
func fillSeed(seed uint64, argument, set int) uint64 {
	return rand.NewPCG(seed, uint64(set)<<32|uint64(argument)).Uint64()
}

// fillInput fills one input. Type and shape that neither the module nor the user states are those of the file that fills it.
func fillInput(a *invocations.Argument, seed uint64) (tensor.Tensor, error) {
	t := tensor.Tensor{Element: a.Element, Shape: a.Shape, Scalar: a.ByValue}
	if t.Shape == nil && a.Extent != "" || t.Element == "" {
		if a.Fill != invocations.FillFile {
			return t, fmt.Errorf("its type is %s, which leaves the shape to the caller; give it, as in --input=%s", typeText(a), exampleOf(a))
		}
		element, shape, err := values.NPYType(a.Path)
		if err != nil {
			return t, err
		}
		if t.Element == "" {
			t.Element = element
		}
		if a.Extent != "" && !invocations.FitsExtent(a.Extent, shape) {
			return t, fmt.Errorf("%s holds an array of shape %v and its type is %s", a.Path, shape, typeText(a))
		}
		t.Shape = shape
	}
	size, ok := byteSize(&t)
	if !ok {
		return t, &executor.MemoryError{Err: fmt.Errorf("no memory holds %s", t.Type())}
	}
	if free := platform.AvailableMemoryBytes(); free > 0 && size > free {
		return t, &executor.MemoryError{Err: fmt.Errorf("%s takes %d MiB and %d MiB are free", t.Type(), size>>20, free>>20)}
	}
	t.Data = make([]byte, size)
	if err := values.Fill(t.Data, t.Element, a.Contents, seed); err != nil {
		return t, err
	}
	return t, nil
}

// byteSize is the size of a tensor's elements; false when it is beyond any memory.
func byteSize(t *tensor.Tensor) (int64, bool) {
	size := t.Element.Size()
	for _, n := range t.Shape {
		if n < 0 || n > 0 && size > maxInputBytes/n {
			return 0, false
		}
		size *= n
	}
	return size, size <= maxInputBytes
}

// typeText is the type of an argument with what is open, "?x4xf32".
func typeText(a *invocations.Argument) string {
	element := invocations.MLIRName(a.Element)
	if element == "" {
		element = "?"
	}
	return a.Extent + "x" + element
}

// exampleOf is a tensor that the argument could be.
func exampleOf(a *invocations.Argument) string {
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

// inputBytes is the total size of inputs.
func inputBytes(list []tensor.Tensor) (total int64) {
	for i := range list {
		total += int64(len(list[i].Data))
	}
	return total
}
