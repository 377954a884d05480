package cfunction

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/executor/cfunction/sizes"
)

// LayoutError says why an affine array has no place in memory.
type LayoutError struct{ text string } // with {strides} and {offset} in place of what these are called

func layoutError(format string, args ...any) error { return &LayoutError{fmt.Sprintf(format, args...)} }

func (e *LayoutError) Error() string { return e.Named("strides", "offset") }

// Named returns the message with what the strides and the offset are called where the array is described.
func (e *LayoutError) Named(strides, offset string) string {
	return strings.NewReplacer("{strides}", strides, "{offset}", offset).Replace(e.text)
}

// affineElements returns the number of elements that a buffer must hold so that every element of an affine array lies
// in it. Element (i0, i1, …) has index offset + Σ i_k × strides[k], counted from the address that is passed. Strides
// may be in any order and leave padding. A stride may be zero (every index reads the same element) or negative, as long
// as the offset keeps all indices at zero or above. If no stride is negative, the result is offset + 1 + Σ (shape[k] −
// 1) × strides[k].
func affineElements(shape, strides []int64, offset int64) (int64, error) {
	if len(strides) != len(shape) {
		return 0, layoutError("shape %v has %d dimensions but {strides} %v has %d; give one stride for each dimension",
			shape, len(shape), strides, len(strides))
	}
	if offset < 0 {
		return 0, layoutError("{offset} %d is negative; elements cannot lie before the address that is passed", offset)
	}
	low, high, ok := offset, offset, true
	for k, extent := range shape {
		if extent < 1 {
			return 0, fmt.Errorf("shape %v: dimension %d is %d; every dimension must be at least 1", shape, k, extent)
		}
		reach, fits := multiply(extent-1, strides[k])
		if strides[k] < 0 {
			low, ok = add(low, reach)
		} else {
			high, ok = add(high, reach)
		}
		if !fits || !ok {
			return 0, layoutError("shape %v with {strides} %v needs more elements than 64 bits can count; correct them",
				shape, strides)
		}
	}
	if low < 0 {
		return 0, layoutError("{strides} %v reaches element %d; raise {offset} to at least %d",
			strides, low, offset-low)
	}
	n, ok := add(high, 1)
	if !ok {
		return 0, layoutError("shape %v with {strides} %v needs more elements than 64 bits can count; correct them",
			shape, strides)
	}
	return n, nil
}

// RowMajor returns the strides of a dense array whose last dimension is contiguous. The product of the shape must fit
// into 64 bits.
func RowMajor(shape []int64) []int64 {
	strides := make([]int64, len(shape))
	n := int64(1)
	for k, extent := range slices.Backward(shape) {
		strides[k] = n
		n *= extent
	}
	return strides
}

// shapeElements returns the number of logical elements, without padding. Returns false if it does not fit into 64 bits.
func shapeElements(shape []int64) (int64, bool) {
	n, ok := int64(1), true
	for _, extent := range shape {
		if n, ok = multiply(n, extent); !ok {
			return 0, false
		}
	}
	return n, true
}

// evaluateSize returns the product of the factors. lookup returns the value of a name.
func evaluateSize(factors []sizes.Expression, lookup func(name string) (int64, error)) (int64, error) {
	n := int64(1)
	for _, f := range factors {
		value, err := f.Evaluate(lookup)
		if err != nil {
			return 0, err
		}
		if value < 1 {
			return 0, fmt.Errorf("%s is %d; a size must be at least 1", f, value)
		}
		var ok bool
		if n, ok = multiply(n, value); !ok {
			return 0, fmt.Errorf("the product exceeds 64 bits; choose smaller sizes")
		}
	}
	return n, nil
}

// multiply returns the product and reports whether it fits.
func multiply(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return p, true
}

// add returns the sum and reports whether it fits.
func add(a, b int64) (int64, bool) {
	s := a + b
	if (s > a) != (b > 0) && b != 0 {
		return 0, false
	}
	return s, true
}
