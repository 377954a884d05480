package tt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// tensor is an array on the host, dense and row-major.
type tensor struct {
	element element
	shape   []int64 // of the storage: complex numbers have a last dimension of 2
	data    []byte
}

// share is which of the devices that run a program at once something is for.
type share struct{ device, devices int }

// inputs are the arguments of an invocation that go into the program on one device, filled for one set of several.
func (p *program) inputs(inv *invocations.Invocation, set int, s share) ([]tensor, error) {
	var list []tensor
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		if a.Usage == invocations.Output {
			if a.Fill != invocations.FillDefault {
				return nil, fmt.Errorf("%s is a result of %s, which takes %d inputs; leave it out", a.Name, inv.Function, len(p.signature.arguments))
			}
			continue
		}
		if len(list) == len(p.signature.arguments) {
			return nil, fmt.Errorf("more inputs than the %d that %s takes: %s", len(list), inv.Function, types(p.signature.arguments))
		}
		t, err := fillInput(a, p.signature.arguments[len(list)], fillSeed(inv.Measure.Seed, i, set, s.device), s)
		if err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", a.Name, inv.Function, err)
		}
		list = append(list, t)
	}
	if len(list) != len(p.signature.arguments) {
		return nil, fmt.Errorf("%d inputs are given and %s takes %d: %s", len(list), inv.Function, len(p.signature.arguments), types(p.signature.arguments))
	}
	return list, nil
}

// fillSeed gives every input of every set on every device random contents of its own.
func fillSeed(seed uint64, argument, set, device int) uint64 {
	return rand.NewPCG(seed, uint64(device)<<48|uint64(set)<<32|uint64(argument)).Uint64()
}

// fillInput fills an input of the type that the program declares. A shape that the program leaves open is the user's, or that of the file that fills it. A file whose first
// dimension is that of all devices together is dealt out to them.
func fillInput(a *invocations.Argument, declared value, seed uint64, s share) (tensor, error) {
	t := tensor{element: declared.element, shape: a.Shape}
	if !declared.known {
		return t, fmt.Errorf("it is of type %s, which zonemark cannot make", declared.text)
	}
	if t.shape == nil && a.Extent != "" {
		if a.Fill != invocations.FillFile {
			return t, fmt.Errorf("its type is %s, which leaves the shape to the caller; give it, as in --input=%s", declared.text, example(a))
		}
		_, shape, err := values.NPYType(a.Path)
		if err != nil {
			return t, err
		}
		if !invocations.FitsExtent(a.Extent, shape) {
			return t, fmt.Errorf("%s holds an array of shape %v and its type is %s", a.Path, shape, declared.text)
		}
		t.shape = shape
	}
	if a.Element != "" && a.Element != t.element.storage {
		return t, fmt.Errorf("it is given as %s and its type is %s", invocations.TensorShape(a.Element, t.shape), declared.text)
	}
	if err := declared.fits(t.shape); err != nil {
		return t, err
	}
	size, ok := t.pluginShape().Bytes()
	if !ok {
		return t, &executor.MemoryError{Err: fmt.Errorf("no memory holds %s", t.text())}
	}
	if free := platform.AvailableMemoryBytes(); free > 0 && size > free {
		return t, &executor.MemoryError{Err: fmt.Errorf("%s takes %d MiB and %d MiB are free", t.text(), size>>20, free>>20)}
	}
	var err error
	if t.data, err = s.fill(t.shape, t.element, size, a.Contents, seed); err != nil {
		return t, err
	}
	chosen := a.Fill != invocations.FillDefault && a.Fill != invocations.FillRandom && a.Fill != invocations.FillIota
	return t, t.element.confine(t.data, chosen)
}

// fill makes size bytes of contents in a shape of the storage, or of a file for all devices this one's part of it.
func (s share) fill(shape []int64, e element, size int64, c invocations.Contents, seed uint64) ([]byte, error) {
	splittable := len(shape) > 1 || len(shape) == 1 && !e.pair
	if c.Fill == invocations.FillFile && s.devices > 1 && splittable {
		whole := append([]int64{shape[0] * int64(s.devices)}, shape[1:]...)
		if _, found, err := values.NPYType(c.Path); err == nil && slices.Equal(found, whole) {
			all := make([]byte, size*int64(s.devices))
			err := values.Fill(all, e.storage, c, seed)
			return slices.Clone(all[size*int64(s.device) : size*int64(s.device+1)]), err // what belongs to the others is let go
		}
	}
	data := make([]byte, size)
	return data, values.Fill(data, e.storage, c, seed)
}

// example is a tensor that an argument of an open shape could be.
func example(a *invocations.Argument) string {
	return strings.ReplaceAll(a.Extent, invocations.OpenDimension, "16") + "x" + invocations.TensorShape(a.Element, nil)
}

// fits says whether a shape of the storage is one of the declared type.
func (v value) fits(shape []int64) error {
	want := v.argument(invocations.Input)
	if want.Extent == "" {
		want.Extent = strings.TrimSuffix(invocations.TensorShape("", want.Shape), "x")
	}
	given := strings.TrimSuffix(invocations.TensorShape("", shape), "x")
	if len(shape) == 0 && len(v.dimensions) == 0 && !v.element.pair || given != "" && invocations.FitsExtent(want.Extent, shape) {
		return nil
	}
	return fmt.Errorf("it is given the shape %q and its type is %s", given, v.text)
}

// confine brings bytes into the range of a type that has no byte of its own. What was drawn at random wraps, and floating-point patterns become finite numbers that
// are not negative; what the user chose must fit.
func (e element) confine(data []byte, chosen bool) error {
	const finite = 0x3f // sign and highest exponent bit are 0 in every type of eight bits: numbers below 2
	for i, b := range data {
		in := b
		switch {
		case e.pattern && e.bits == 0 && !chosen:
			in = b & finite
		case e.bits == 0:
			return nil
		default:
			in = e.narrow(b)
		}
		if chosen && in != b {
			return fmt.Errorf("element %d is out of range for %s", i, e.code)
		}
		data[i] = in
	}
	return nil
}

// narrow is a byte of storage as the bits that count say.
func (e element) narrow(b byte) byte {
	if e.storage == invocations.Int8 {
		return byte(int8(b<<(8-e.bits)) >> (8 - e.bits))
	}
	return b & (1<<e.bits - 1)
}

// settle gives results of fewer than eight bits the form of their storage: plugins leave in the other bits what they like.
func (t *tensor) settle() {
	for i := range t.data {
		if t.element.bits == 0 {
			return
		}
		t.data[i] = t.element.narrow(t.data[i])
	}
}

// pluginShape is the tensor's type for the plugin.
func (t *tensor) pluginShape() pjrt.Shape {
	s := pjrt.Shape{Element: t.element.code, Dimensions: t.shape}
	if t.element.pair {
		s.Dimensions = t.shape[:len(t.shape)-1]
	}
	return s
}

func (t *tensor) text() string { return t.pluginShape().String() }

// declaredShape is a value's type for the plugin, false where the type leaves something open.
func (v value) declaredShape() (pjrt.Shape, bool) {
	for _, n := range v.dimensions {
		if n == stablehlo.Open {
			return pjrt.Shape{}, false
		}
	}
	return pjrt.Shape{Element: v.element.code, Dimensions: v.dimensions}, v.known
}
