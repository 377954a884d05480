// Package tensor is the value that goes into and comes out of an IREE function, as the three ways of running one share it.
package tensor

import (
	"fmt"
	"strings"

	"zonemark/invocations"
)

// Tensor is a dense, row-major array of elements.
type Tensor struct {
	Element invocations.ElementType
	Shape   []int64 // elements along each dimension; empty for a tensor of one element without dimensions
	Data    []byte  // in the machine's byte order, Elements() × the size of an element
	Scalar  bool    // a value of its own, such as an i32, rather than a buffer of one element
}

// Elements is the number of elements.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// names are the element types as MLIR and IREE's tools write them.
var names = map[invocations.ElementType]string{
	invocations.Bool: "i1", invocations.Int8: "i8", invocations.Int16: "i16", invocations.Int32: "i32", invocations.Int64: "i64",
	invocations.Uint8: "ui8", invocations.Uint16: "ui16", invocations.Uint32: "ui32", invocations.Uint64: "ui64",
	invocations.Float16: "f16", invocations.BFloat16: "bf16", invocations.Float32: "f32", invocations.Float64: "f64",
}

// Name is an element type as MLIR writes it: "f32".
func Name(t invocations.ElementType) string { return names[t] }

// Element is the type that MLIR writes as name; false for one that zonemark cannot fill or compare. Signed spellings ("si32") are plain ones.
func Element(name string) (invocations.ElementType, bool) {
	if rest, signed := strings.CutPrefix(name, "si"); signed {
		name = "i" + rest
	}
	for t, n := range names {
		if n == name {
			return t, true
		}
	}
	return "", false
}

// Type is the tensor's type as IREE's tools write it: "4x8xf32", "f32" for a single element.
func (t *Tensor) Type() string {
	var b strings.Builder
	for _, d := range t.Shape {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String() + Name(t.Element)
}
