package halide

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of an element, by the name that NumPy and zonemark's suites give it.
type Type string

// The types that the shipped benchmarks have.
const (
	Uint8   Type = "uint8"
	Int8    Type = "int8"
	Int32   Type = "int32"
	Float32 Type = "float32"
)

// Size returns the size of an element in bytes, 0 for an unknown type.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8:
		return 1
	case Int32, Float32:
		return 4
	}
	return 0
}

// Array is the contents of a buffer. It is dense and little endian. The first extent is the one whose neighbours are
// adjacent in memory, as Halide orders them.
type Array struct {
	Type    Type
	Extents []int
	Data    []byte
}

// WriteNPY writes the array as a .npy file, version 1.0 of the format (numpy.lib.format). The shape is the extents
// reversed, in C order: NumPy's last axis is the one whose neighbours are adjacent, so array[y, x] is Halide's (x, y).
func (a Array) WriteNPY(w io.Writer) error {
	descr := map[Type]string{Uint8: "|u1", Int8: "|i1", Int32: "<i4", Float32: "<f4"}[a.Type]
	if descr == "" || len(a.Data) != elements(a.Extents)*a.Type.Size() {
		return fmt.Errorf("npy: %d bytes are no %s array with extents %v", len(a.Data), a.Type, a.Extents)
	}
	var shape []string
	for _, extent := range slices.Backward(a.Extents) {
		shape = append(shape, strconv.Itoa(extent))
	}
	if len(shape) == 1 {
		shape = append(shape, "") // Python writes a tuple of one as "(1,)"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
		descr, strings.TrimSuffix(strings.Join(shape, ", "), " "))
	const before, alignment = 10, 64 // magic, version and length; the data begins at a multiple of 64
	padding := (alignment - (before+len(header)+1)%alignment) % alignment
	header += strings.Repeat(" ", padding) + "\n"
	start := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	for _, part := range [][]byte{append(start, header...), a.Data} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("npy: %w", err)
		}
	}
	return nil
}

func elements(extents []int) int {
	count := 1
	for _, extent := range extents {
		count *= extent
	}
	return count
}

// integerArray encodes values of an integer type, which must be in its range.
func integerArray(t Type, extents []int, values []int32) Array {
	data := make([]byte, 0, len(values)*t.Size())
	for _, v := range values {
		if t == Int32 {
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		} else {
			data = append(data, byte(v))
		}
	}
	return Array{t, slices.Clone(extents), data}
}

// floatArray encodes values as float32.
func floatArray(extents []int, values []float64) Array {
	data := make([]byte, 0, len(values)*Float32.Size())
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return Array{Float32, slices.Clone(extents), data}
}

// integers decodes an array of an integer type.
func (a Array) integers() []int32 {
	values := make([]int32, len(a.Data)/a.Type.Size())
	for i := range values {
		switch a.Type {
		case Int32:
			values[i] = int32(binary.LittleEndian.Uint32(a.Data[4*i:]))
		case Int8:
			values[i] = int32(int8(a.Data[i]))
		default:
			values[i] = int32(a.Data[i])
		}
	}
	return values
}

// floats decodes an array of type Float32.
func (a Array) floats() []float64 {
	values := make([]float64, len(a.Data)/Float32.Size())
	for i := range values {
		values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(a.Data[4*i:])))
	}
	return values
}
