package cfunction

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/cfunction/sizes"
	"zonemark/invocations"
)

// Parameter is what a front end says of one parameter of a function.
type Parameter struct {
	Name    string // empty if it has none
	Element invocations.ElementType
	Usage   invocations.Usage
	Passing Passing
	Layout  Layout
}

// Passing says how a parameter is passed.
type Passing byte

// The ways of passing. Only a number that is an input is passed by value. The callee allocates an output and writes its
// address to where the parameter points.
const (
	ByAddress Passing = iota
	ByValue
	CalleeAllocates
)

// Layout says what a parameter is and where its elements lie: Number, Affine or Sized.
type Layout interface{ lay(a *argument) error }

// Number is a single number. Required reports that it has no default value: a user must give one.
type Number struct{ Required bool }

// Affine is an array whose shape is known. Element (i0, i1, …) has index Offset + Σ i_k × Strides[k]. All counts are of
// elements. Without strides it is dense, with the last dimension contiguous.
type Affine struct {
	Shape, Strides []int64
	Offset         int64
}

// Sized is a vector whose size is known when the function is called: the product of the factors. Text is the size as
// the artifact states it. A vector without factors has one element.
type Sized struct {
	Factors []sizes.Expression
	Text    string
}

// argument returns the argument at a position.
func (p *Parameter) argument(position int) (argument, error) {
	a := argument{position: position}
	a.Name, a.Element, a.Usage = p.Name, p.Element, p.Usage
	a.ByValue, a.Callee = p.Passing == ByValue, p.Passing == CalleeAllocates
	if a.Element.Size() == 0 {
		return a, fmt.Errorf("its element type %q is not known", a.Element)
	}
	if err := p.Layout.lay(&a); err != nil {
		return a, err
	}
	switch {
	case a.ByValue && (!a.scalar || a.Usage != invocations.Input):
		return a, errors.New("only a number that is an input is passed by value")
	case a.Callee && a.Usage != invocations.Output:
		return a, errors.New("what the function allocates is an output")
	}
	return a, nil
}

func (n Number) lay(a *argument) error {
	a.scalar, a.elements, a.required = true, 1, n.Required
	return nil
}

func (s Sized) lay(a *argument) error {
	a.size, a.Extent = s.Factors, strings.TrimSpace(s.Text)
	if len(a.size) == 0 {
		a.Extent, a.elements = "1", 1
	}
	return s.check()
}

// check refuses factors that are numbers below 1.
func (s Sized) check() error {
	for _, f := range s.Factors {
		if n, constant := f.Constant(); constant && n < 1 {
			return fmt.Errorf("size %q has the factor %d; a size must be at least 1", s.Text, n)
		}
	}
	return nil
}

func (l Affine) lay(a *argument) error {
	strides := l.Strides
	if len(strides) == 0 && len(l.Shape) > 0 {
		if n, ok := shapeElements(l.Shape); !ok || n < 1 {
			return fmt.Errorf("shape %v: every dimension must be at least 1 and their product must fit into 64 bits",
				l.Shape)
		}
		strides = RowMajor(l.Shape)
	}
	n, err := affineElements(l.Shape, strides, l.Offset)
	if err != nil {
		return err
	}
	if _, ok := multiply(n, a.Element.Size()); !ok {
		return fmt.Errorf("shape %v of %s takes more bytes than 64 bits can count; correct it", l.Shape, a.Element)
	}
	logical, ok := shapeElements(l.Shape)
	if !ok { // possible with strides of zero
		return fmt.Errorf("shape %v has more elements than 64 bits can count; correct it", l.Shape)
	}
	a.elements, a.Offset = n, l.Offset
	if len(l.Shape) == 0 {
		return nil
	}
	a.Shape = l.Shape
	if logical > n || !slices.Equal(strides, RowMajor(l.Shape)) {
		a.Strides = strides
	}
	return nil
}
