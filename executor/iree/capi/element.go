package capi

import (
	"encoding/binary"
	"fmt"

	"zonemark/invocations"
)

// elementCodes are iree_hal_element_type_t: the numerical kind in the high byte, bits in the low one. Signless integers are what MLIR's i32 is;
// tensor.Tensor has no signed spelling of its own.
var elementCodes = map[invocations.ElementType]uint32{
	invocations.Bool:  0x13000008,
	invocations.Int8:  0x10000008,
	invocations.Int16: 0x10000010,
	invocations.Int32: 0x10000020,
	invocations.Int64: 0x10000040,

	invocations.Uint8:  0x12000008,
	invocations.Uint16: 0x12000010,
	invocations.Uint32: 0x12000020,
	invocations.Uint64: 0x12000040,

	invocations.Float16:  0x21000010,
	invocations.BFloat16: 0x22000010,
	invocations.Float32:  0x21000020,
	invocations.Float64:  0x21000040,
}

const signedInteger, signlessInteger = 0x11, 0x10

// elementOf is the element type with a code of the runtime.
func elementOf(code uint32) (invocations.ElementType, error) {
	if code>>24 == signedInteger {
		code = signlessInteger<<24 | code&0xffffff
	}
	for element, c := range elementCodes {
		if c == code {
			return element, nil
		}
	}
	return "", fmt.Errorf("elements of IREE's type %#08x, which zonemark cannot read", code)
}

// Kinds of values in the virtual machine's registers; iree_vm_value_type_t.
const (
	valueI32 = 3
	valueI64 = 4
	valueF32 = 5
	valueF64 = 6
)

// value is iree_vm_value_t.
type value struct {
	kind uint32
	_    uint32
	bits uint64
}

// scalarValue is the value for a scalar argument. The virtual machine has no integers below 32 bits: they are extended.
func scalarValue(element invocations.ElementType, data []byte) (value, error) {
	if int64(len(data)) != element.Size() {
		return value{}, fmt.Errorf("%d bytes for one element of %s", len(data), element)
	}
	n := binary.NativeEndian
	switch element {
	case invocations.Bool, invocations.Uint8:
		return value{kind: valueI32, bits: uint64(data[0])}, nil
	case invocations.Int8:
		return value{kind: valueI32, bits: uint64(uint32(int32(int8(data[0]))))}, nil
	case invocations.Int16:
		return value{kind: valueI32, bits: uint64(uint32(int32(int16(n.Uint16(data)))))}, nil
	case invocations.Uint16:
		return value{kind: valueI32, bits: uint64(n.Uint16(data))}, nil
	case invocations.Int32, invocations.Uint32:
		return value{kind: valueI32, bits: uint64(n.Uint32(data))}, nil
	case invocations.Int64, invocations.Uint64:
		return value{kind: valueI64, bits: n.Uint64(data)}, nil
	case invocations.Float32:
		return value{kind: valueF32, bits: uint64(n.Uint32(data))}, nil
	case invocations.Float64:
		return value{kind: valueF64, bits: n.Uint64(data)}, nil
	}
	return value{}, fmt.Errorf("IREE passes no scalars of %s by value: give a tensor of one element", element)
}

// scalarData is the element type and the bytes of a scalar result.
func scalarData(kind uint32, bits uint64) (invocations.ElementType, []byte, error) {
	n := binary.NativeEndian
	switch kind {
	case valueI32:
		return invocations.Int32, n.AppendUint32(nil, uint32(bits)), nil
	case valueI64:
		return invocations.Int64, n.AppendUint64(nil, bits), nil
	case valueF32:
		return invocations.Float32, n.AppendUint32(nil, uint32(bits)), nil
	case valueF64:
		return invocations.Float64, n.AppendUint64(nil, bits), nil
	}
	return "", nil, fmt.Errorf("a value of IREE's kind %d, which zonemark cannot read", kind)
}
