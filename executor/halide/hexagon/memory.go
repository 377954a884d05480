package hexagon

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"zonemark/executor/halide/metadata"
)

// Buffer is a buffer of a call.
type Buffer struct {
	Type       metadata.Type
	Dimensions []Dimension // dimension 0 first
	Bytes      int         // of its elements in memory; 0 asks the pipeline for the dimensions that it needs
}

// Dimension is halide_dimension_t of Halide 14 to 21, the same on all processors.
type Dimension struct {
	Min, Extent, Stride int32
	Flags               uint32
}

// Argument is an argument of a call: a buffer, or a scalar.
type Argument struct {
	Buffer *Buffer
	Scalar [8]byte // its value in the first bytes, if Buffer is nil
}

// buffer is halide_buffer_t of Halide 14 to 21 on a processor with pointers of 32 bits (HalideRuntime.h).
type buffer struct {
	_          uint64 // device
	_          uint32 // its interface
	host       uint32 // pointer to the element at the minimum of every dimension; 0 asks for the bounds
	flags      uint64
	typ        metadata.Type
	dimensions int32
	dim        uint32 // pointer to the first of the dimensions
	_          uint32
}

// hostDirty is halide_buffer_flag_host_dirty: the contents on the host are those that count.
const hostDirty = 1

// These sizes and offsets are those of Halide's structs. A wrong one does not compile.
var (
	_ [40]struct{} = [unsafe.Sizeof(buffer{})]struct{}{}
	_ [12]struct{} = [unsafe.Offsetof(buffer{}.host)]struct{}{}
	_ [24]struct{} = [unsafe.Offsetof(buffer{}.typ)]struct{}{}
	_ [32]struct{} = [unsafe.Offsetof(buffer{}.dim)]struct{}{}
	_ [16]struct{} = [unsafe.Sizeof(Dimension{})]struct{}{}
)

const (
	// memoryAddress is where the memory of a call lies for the program. The program itself lies below, and its stack
	// above 0x40000000 in the emulator.
	memoryAddress = 0x6000_0000
	// maxMemory is how much memory a call may have there.
	maxMemory    = 0x7000_0000
	pointerBytes = 4
	alignment    = 128 // bytes of a vector
)

// Memory is the memory of a call as the processor sees it: pointers to the arguments, behind them structs and scalars,
// then the elements of buffers.
type Memory struct {
	arguments []Argument
	bytes     []byte
	structs   []int // offset of the struct or value of each argument
	data      []int // offset of the elements of each buffer
}

// NewMemory places arguments in memory. The elements of buffers are zero.
func NewMemory(arguments []Argument) (*Memory, error) {
	m := &Memory{arguments: arguments, structs: make([]int, len(arguments)), data: make([]int, len(arguments))}
	at := aligned(len(arguments) * pointerBytes)
	for i, a := range arguments {
		m.structs[i] = at
		at += len(a.Scalar)
		if a.Buffer != nil {
			at = m.structs[i] + int(unsafe.Sizeof(buffer{})) +
				len(a.Buffer.Dimensions)*int(unsafe.Sizeof(Dimension{}))
		}
		at = (at + 7) &^ 7
	}
	for i, a := range arguments {
		if a.Buffer == nil || a.Buffer.Bytes == 0 {
			continue
		}
		at = aligned(at)
		m.data[i] = at
		if a.Buffer.Bytes > maxMemory-at {
			return nil, fmt.Errorf("the arguments need more than the %d MiB that a call may have on Hexagon, whose "+
				"addresses have 32 bits; choose smaller extents", maxMemory>>20)
		}
		at += a.Buffer.Bytes
	}
	m.bytes = make([]byte, aligned(at))
	for i := range arguments {
		m.describe(i)
	}
	return m, nil
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// describe writes the pointer to an argument, and its struct or value.
func (m *Memory) describe(i int) {
	a, at := &m.arguments[i], m.structs[i]
	binary.LittleEndian.PutUint32(m.bytes[i*pointerBytes:], address(at))
	if a.Buffer == nil {
		copy(m.bytes[at:], a.Scalar[:])
		return
	}
	var layout buffer
	b := m.bytes[at:]
	if a.Buffer.Bytes > 0 {
		binary.LittleEndian.PutUint32(b[unsafe.Offsetof(layout.host):], address(m.data[i]))
		binary.LittleEndian.PutUint64(b[unsafe.Offsetof(layout.flags):], hostDirty)
	}
	t := b[unsafe.Offsetof(layout.typ):]
	t[0], t[1] = byte(a.Buffer.Type.Code), a.Buffer.Type.Bits
	binary.LittleEndian.PutUint16(t[2:], a.Buffer.Type.Lanes)
	binary.LittleEndian.PutUint32(b[unsafe.Offsetof(layout.dimensions):], uint32(len(a.Buffer.Dimensions)))
	binary.LittleEndian.PutUint32(b[unsafe.Offsetof(layout.dim):], address(at+int(unsafe.Sizeof(layout))))
	for d, dim := range a.Buffer.Dimensions {
		w := m.dimension(i, d)
		for k, n := range []uint32{uint32(dim.Min), uint32(dim.Extent), uint32(dim.Stride), dim.Flags} {
			binary.LittleEndian.PutUint32(w[4*k:], n)
		}
	}
}

// address returns the address of an offset in the memory.
func address(offset int) uint32 { return memoryAddress + uint32(offset) }

func (m *Memory) dimension(i, d int) []byte {
	const each = int(unsafe.Sizeof(Dimension{}))
	return m.bytes[m.structs[i]+int(unsafe.Sizeof(buffer{}))+d*each:][:each]
}

// Dimensions returns the dimensions of a buffer as they are in memory, where a pipeline may have changed them.
func (m *Memory) Dimensions(i int) []Dimension {
	list := make([]Dimension, len(m.arguments[i].Buffer.Dimensions))
	for d := range list {
		w := m.dimension(i, d)
		list[d] = Dimension{
			Min: int32(binary.LittleEndian.Uint32(w)), Extent: int32(binary.LittleEndian.Uint32(w[4:])),
			Stride: int32(binary.LittleEndian.Uint32(w[8:])), Flags: binary.LittleEndian.Uint32(w[12:]),
		}
	}
	return list
}

// Elements returns the elements of a buffer in memory. The slice is valid until the next call.
func (m *Memory) Elements(i int) []byte {
	b := m.arguments[i].Buffer
	return m.bytes[m.data[i]:][:b.Bytes]
}
