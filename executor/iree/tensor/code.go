package tensor

import "zonemark/invocations"

// codes holds iree_hal_element_type_t of iree/hal/buffer_view.h: the kind of number in the high byte, its bits in the
// low ones. Integers have three kinds. Kind 0x10 has no sign, like MLIR's types.
var codes = map[invocations.ElementType]uint32{
	invocations.Bool:     0x13000008,
	invocations.Int8:     0x10000008,
	invocations.Int16:    0x10000010,
	invocations.Int32:    0x10000020,
	invocations.Int64:    0x10000040,
	invocations.Uint8:    0x12000008,
	invocations.Uint16:   0x12000010,
	invocations.Uint32:   0x12000020,
	invocations.Uint64:   0x12000040,
	invocations.Float16:  0x21000010,
	invocations.Float32:  0x21000020,
	invocations.Float64:  0x21000040,
	invocations.BFloat16: 0x22000010,

	invocations.Float8E5M2:     0x24000008,
	invocations.Float8E4M3FN:   0x25000008,
	invocations.Float8E5M2FNUZ: 0x26000008,
	invocations.Float8E4M3FNUZ: 0x27000008,
}

// Kinds of numbers, and their position in a code.
const (
	kindShift    = 24
	kindInteger  = 0x10
	kindSigned   = 0x11
	kindBitsMask = 1<<kindShift - 1
)

// Code returns the code by which IREE's runtime knows an element type, and false for a type that invocations does not
// know.
func Code(t invocations.ElementType) (code uint32, known bool) {
	code, known = codes[t]
	return code, known
}

// OfCode returns the element type of a code of IREE's runtime, and false for one that zonemark cannot fill or compare.
// A signed integer becomes the kind that has no sign.
func OfCode(code uint32) (t invocations.ElementType, known bool) {
	if code>>kindShift == kindSigned {
		code = kindInteger<<kindShift | code&kindBitsMask
	}
	for t, c := range codes {
		if c == code {
			return t, true
		}
	}
	return "", false
}
