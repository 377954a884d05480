package tt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// tensor is an array on the host, dense and row-major.
type tensor struct {
	element element
	shape   []int64 // of the storage; complex numbers have a last dimension of 2
	data    []byte
}

// share identifies one of the devices that run a program at once.
type share struct{ device, devices int }

// inputs returns the arguments of an invocation that are inputs of the program on one device, filled for one set of
// several.
func (p *program) inputs(inv *invocations.Invocation, set int, s share) ([]tensor, error) {
	var list []tensor
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		if a.Usage == invocations.Output {
			if a.Fill != invocations.FillDefault {
				return nil, fmt.Errorf("%s is a result of %s, which takes %d inputs; leave it out",
					a.Name, inv.Function, len(p.signature.arguments))
			}
			continue
		}
		if len(list) == len(p.signature.arguments) {
			return nil, fmt.Errorf("more inputs than the %d that %s takes: %s",
				len(list), inv.Function, types(p.signature.arguments))
		}
		t, err := fillInput(a, p.signature.arguments[len(list)], arguments.Seed(inv.Measure.Seed, i, set, s.device), s)
		if err != nil {
			return nil, fmt.Errorf("input %s of %s: %w", a.Name, inv.Function, err)
		}
		list = append(list, t)
	}
	if len(list) != len(p.signature.arguments) {
		return nil, fmt.Errorf("%d inputs are given and %s takes %d: %s",
			len(list), inv.Function, len(p.signature.arguments), types(p.signature.arguments))
	}
	return list, nil
}

// fillInput fills an input of the type that the program declares. If the program leaves the shape open, the user
// chooses it, or the file that fills the input. A file whose first dimension covers all devices is split between them.
func fillInput(a *invocations.Argument, declared value, seed uint64, s share) (tensor, error) {
	t := tensor{element: declared.element, shape: a.Shape}
	if !declared.known {
		return t, fmt.Errorf("it is of type %s, which zonemark cannot make", declared.text)
	}
	if t.shape == nil && a.Extent != "" {
		if a.Fill != invocations.FillFile {
			return t, remedy.With(fmt.Errorf("its type is %s, which leaves the shape to the caller", declared.text),
				remedy.Remedy{Kind: remedy.Shape, Value: example(a)})
		}
		stored, err := values.NPYStorage(a.Contents)
		if err != nil {
			return t, err
		}
		if !invocations.FitsExtent(a.Extent, stored.Shape) {
			return t, fmt.Errorf("%s holds an array of shape %v and its type is %s", a.Path, stored.Shape, declared.text)
		}
		t.shape = stored.Shape
	}
	if a.Element != "" && a.Element != t.element.storage {
		return t, fmt.Errorf("it is given as %s and its type is %s",
			invocations.TensorShape(a.Element, t.shape), declared.text)
	}
	if err := declared.fits(t.shape); err != nil {
		return t, err
	}
	size, ok := t.pluginShape().Bytes()
	if !ok {
		size = -1 // it is refused
	}
	if err := arguments.CheckRoom(t.text(), size); err != nil {
		return t, err
	}
	var err error
	if t.data, err = s.fill(t.shape, t.element, size, a.Contents, seed); err != nil {
		return t, err
	}
	chosen := a.Fill != invocations.FillDefault && a.Fill != invocations.FillRandom && a.Fill != invocations.FillIota
	return t, t.element.confine(t.data, chosen)
}

// fill returns size bytes of contents in a shape of the storage. Of a file for all devices it returns this device's
// part.
func (s share) fill(shape []int64, e element, size int64, c invocations.Contents, seed uint64) ([]byte, error) {
	data := make([]byte, size)
	if c.Fill != invocations.FillFile || values.IsImage(c.Path) {
		return data, values.Fill(data, e.storage, c, seed)
	}
	stored, err := values.NPYStorage(c)
	if err != nil {
		return nil, err
	}
	if err := e.accepts(stored); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Path, err)
	}
	splittable := len(shape) > 1 || len(shape) == 1 && !e.pair
	if s.devices > 1 && splittable {
		whole := append([]int64{shape[0] * int64(s.devices)}, shape[1:]...)
		if slices.Equal(stored.Shape, whole) {
			all := make([]byte, size*int64(s.devices))
			err = values.Fill(all, e.storage, c, seed)
			copy(data, all[size*int64(s.device):])
			return data, errors.Join(err, e.extend(data, stored))
		}
	}
	err = values.Fill(data, e.storage, c, seed)
	return data, errors.Join(err, e.extend(data, stored))
}

// accepts returns an error if an array is of another type than the elements, although it is stored in the same way.
func (e element) accepts(array values.Storage) error {
	switch {
	case array.Complex && !e.pair:
		return fmt.Errorf("it holds complex numbers, and the type of the elements is %s", e.code)
	case array.F8E5M2 && e.code != pjrt.F8E5M2:
		return fmt.Errorf("it holds float8_e5m2, and the type of the elements is %s", e.code)
	}
	return nil
}

// extend brings elements of fewer than eight bits as ml_dtypes saves them, with zeros in the upper bits, into the form
// of their storage.
func (e element) extend(data []byte, array values.Storage) error {
	if !array.Raw || e.bits == 0 {
		return nil
	}
	for i, b := range data {
		if b>>e.bits != 0 && e.narrow(b) != b {
			return fmt.Errorf("element %d is out of range for %s", i, e.code)
		}
		data[i] = e.narrow(b)
	}
	return nil
}

// example returns a tensor that fits an argument of open shape, for messages.
func example(a *invocations.Argument) string {
	return strings.ReplaceAll(a.Extent, invocations.OpenDimension, "16") + "x" + invocations.TensorShape(a.Element, nil)
}

// fits returns an error unless a shape of the storage fits the declared type.
func (v value) fits(shape []int64) error {
	want := v.argument(invocations.Input)
	if want.Extent == "" {
		want.Extent = strings.TrimSuffix(invocations.TensorShape("", want.Shape), "x")
	}
	given := strings.TrimSuffix(invocations.TensorShape("", shape), "x")
	if len(shape) == 0 && len(v.dimensions) == 0 && !v.element.pair ||
		given != "" && invocations.FitsExtent(want.Extent, shape) {
		return nil
	}
	return fmt.Errorf("it is given the shape %q and its type is %s", given, v.text)
}

// confine brings bytes into the range of a type that is narrower than a byte. Random values wrap, and floating-point
// patterns become finite numbers that are not negative. Values that the user chose must fit.
func (e element) confine(data []byte, chosen bool) error {
	const finite = 0x3f // clears the sign and the highest exponent bit of every type of eight bits: numbers below 2
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

// narrow returns the value of a byte of storage in which only some bits count.
func (e element) narrow(b byte) byte {
	if e.storage == invocations.Int8 {
		return byte(int8(b<<(8-e.bits)) >> (8 - e.bits))
	}
	return b & (1<<e.bits - 1)
}

// settle brings results of fewer than eight bits into the form of their storage, because plugins leave anything in the
// other bits.
func (t *tensor) settle() {
	for i := range t.data {
		if t.element.bits == 0 {
			return
		}
		t.data[i] = t.element.narrow(t.data[i])
	}
}

// pluginShape returns the tensor's type for the plugin.
func (t *tensor) pluginShape() pjrt.Shape {
	s := pjrt.Shape{Element: t.element.code, Dimensions: t.shape}
	if t.element.pair {
		s.Dimensions = t.shape[:len(t.shape)-1]
	}
	return s
}

func (t *tensor) text() string { return t.pluginShape().String() }

// declaredShape returns a value's type for the plugin. Returns false if the type leaves something open.
func (v value) declaredShape() (pjrt.Shape, bool) {
	for _, n := range v.dimensions {
		if n == stablehlo.Open {
			return pjrt.Shape{}, false
		}
	}
	return pjrt.Shape{Element: v.element.code, Dimensions: v.dimensions}, v.known
}
