package capi

import (
	"encoding/binary"
	"fmt"

	"zonemark/invocations"
)

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

// scalarValue returns the value for a scalar argument. The virtual machine has no integers below 32 bits, so they are
// extended.
func scalarValue(element invocations.ElementType, data []byte) (value, error) {
	if int64(len(data)) != element.Size() {
		return value{}, fmt.Errorf("%d bytes for one element of %s", len(data), element)
	}
	n := binary.NativeEndian
	switch element {
	case invocations.Bool, invocations.Uint8, invocations.Float8E5M2, invocations.Float8E4M3FN,
		invocations.Float8E5M2FNUZ, invocations.Float8E4M3FNUZ: // floats by their bits
		return value{kind: valueI32, bits: uint64(data[0])}, nil
	case invocations.Int8:
		return value{kind: valueI32, bits: uint64(uint32(int32(int8(data[0]))))}, nil
	case invocations.Int16:
		return value{kind: valueI32, bits: uint64(uint32(int32(int16(n.Uint16(data)))))}, nil
	case invocations.Uint16, invocations.Float16, invocations.BFloat16: // by their bits
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

// scalarData returns the element type and the bytes of a scalar result.
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
