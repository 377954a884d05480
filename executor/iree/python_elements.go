package iree

import "zonemark/invocations"

// elementCodes are iree_hal_element_type_t of iree/hal/buffer_view.h: the kind of number in the high byte, its bits in the low ones. Integers have three kinds, of which 0x10
// says nothing of a sign, as MLIR's types do.
var elementCodes = map[invocations.ElementType]uint32{
	invocations.Bool: 0x13000008,
	invocations.Int8: 0x10000008, invocations.Int16: 0x10000010, invocations.Int32: 0x10000020, invocations.Int64: 0x10000040,
	invocations.Uint8: 0x12000008, invocations.Uint16: 0x12000010, invocations.Uint32: 0x12000020, invocations.Uint64: 0x12000040,
	invocations.Float16: 0x21000010, invocations.Float32: 0x21000020, invocations.Float64: 0x21000040,
	invocations.BFloat16: 0x22000010,
}

const (
	kindShift    = 24
	kindInteger  = 0x10
	kindSigned   = 0x11
	kindBitsMask = 1<<kindShift - 1
)

// elementOf is the type of a code; false for one that zonemark cannot fill or compare.
func elementOf(code uint32) (invocations.ElementType, bool) {
	if code>>kindShift == kindSigned {
		code = kindInteger<<kindShift | code&kindBitsMask
	}
	for t, c := range elementCodes {
		if c == code {
			return t, true
		}
	}
	return "", false
}

// scalarKind says how the session module reads a number that is passed by itself. The virtual machine takes 32- and 64-bit integers and floats: what is
// smaller travels in 32 bits, 16-bit floats by their bits, and of what is as wide the sign does not matter.
func scalarKind(t invocations.ElementType) string {
	switch {
	case t == invocations.Float32, t == invocations.Float64:
		return "float"
	case t == invocations.Bool, t == invocations.Uint8, t == invocations.Uint16, t == invocations.Float16, t == invocations.BFloat16:
		return "unsigned"
	}
	return "signed"
}
