package program

import (
	"math"

	"zonemark/driver/sweep/operations"
)

// Programs compute as the registers of the device do: real numbers in float32, integers in 32 bits. Operands are
// converted when they are read, results when they are written: real numbers are rounded to nearest, ties to even, and
// 8-bit integers saturate.

// computing returns the element type that a format is computed in.
func computing(f operations.Format) string {
	if f.Integer() {
		return "i32"
	}
	return "f32"
}

// load converts a stored value to what is computed in.
func (m *module) load(v value, f operations.Format) value { return m.convert(v, computing(f)) }

// store converts a computed value to a format.
func (m *module) store(v value, f operations.Format) value {
	switch {
	case f.Block():
		return m.rounded(v, f)
	case f == operations.Int8:
		if isFloat(v.element) {
			v = m.convert(m.between("-128", m.apply("round_nearest_even", v), "127"), "i32")
		} else {
			v = m.between("-128", v, "127")
		}
	}
	return m.convert(v, storage(f))
}

// stored converts computed values to a format, in place, as store does.
func stored(values []float64, columns int, f operations.Format) []float64 {
	switch {
	case f.Block():
		roundBlocks(values, columns, f)
	case f == operations.Int8:
		for i, v := range values {
			values[i] = min(max(math.RoundToEven(v), -128), 127)
		}
	case f.Integer():
		for i, v := range values {
			values[i] = float64(int32(int64(v)))
		}
	default:
		for i, v := range values {
			values[i] = nearest(v, storage(f))
		}
	}
	return values
}
