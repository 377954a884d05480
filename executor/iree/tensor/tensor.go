// Package tensor defines the value that goes into and comes out of an IREE function. All that calls functions
// shares it.
package tensor

import "zonemark/invocations"

// Tensor is a dense, row-major array of elements.
type Tensor struct {
	Element invocations.ElementType
	Shape   []int64 // elements along each dimension; empty for a tensor of one element without dimensions
	Data    []byte  // in the machine's byte order, Elements() × the size of an element
	Scalar  bool    // a scalar, such as an i32, rather than a buffer of one element
	Storage bool    // passed as memory alone, !hal.buffer: the function is told neither element type nor shape
}

// Elements returns the number of elements.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Type returns the tensor's type as IREE's tools write it: "4x8xf32", "f32" for a single element.
func (t *Tensor) Type() string { return invocations.TensorShape(t.Element, t.Shape) }
