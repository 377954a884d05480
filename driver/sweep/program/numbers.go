package program

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"zonemark/driver/sweep/operations"
	"zonemark/invocations"
)

// array holds the values of a tensor, each as its format has it.
type array struct {
	shape   []int
	element string // as MLIR names it
	values  []float64
}

// storage returns the element type that a program has for a format. Emulated block formats are float32, raw bits
// signed: runtimes do not agree on how programs take unsigned integers.
func storage(f operations.Format) string {
	switch f {
	case operations.Float16:
		return "f16"
	case operations.Float16B:
		return "bf16"
	case operations.RawUInt32, operations.Int32:
		return "i32"
	case operations.Int8:
		return "i8"
	}
	return "f32"
}

// elementType returns an element type in the words of invocations.
func elementType(element string) invocations.ElementType {
	t, err := invocations.ParseTensor(element)
	if err != nil {
		panic(err) // a mistake in storage, which a test of every format finds
	}
	return t.Element
}

// span is the range that the values of an input are drawn from.
type span struct {
	low, high float64
	step      float64 // 0: any value; else multiples of it
}

// fill draws values of a format.
func (s span) fill(r *rand.Rand, values []float64, f operations.Format) {
	for i := range values {
		values[i] = s.draw(r, f)
	}
}

// draw draws a value that a format has exactly. One of a block format is exact whatever stands beside it: the step is
// that of the block with the largest values.
func (s span) draw(r *rand.Rand, f operations.Format) float64 {
	low, high, step := s.low, s.high, s.step
	if f.Block() {
		bits := magnitudeBits(f)
		_, exponent := math.Frexp(max(math.Abs(low), math.Abs(high)))
		coarsest := math.Ldexp(1, exponent-bits)
		step = max(step, coarsest)
		most := coarsest * float64(int(1)<<bits-1)
		low, high = max(low, -most), min(high, most)
	}
	if step > 0 {
		first, last := math.Ceil(low/step), math.Floor(high/step)
		return step * (first + float64(r.Int64N(int64(last-first)+1)))
	}
	return nearest(low+(high-low)*r.Float64(), storage(f))
}

// nearest rounds a number to a float type, ties to even.
func nearest(v float64, element string) float64 {
	switch element {
	case "bf16":
		b := math.Float32bits(float32(v))
		b += 0x7fff + b>>16&1
		return float64(math.Float32frombits(b &^ 0xffff))
	case "f16":
		return roundHalf(v)
	case "f32":
		return float64(float32(v))
	}
	return v
}

// roundHalf rounds a finite number to float16, ties to even.
func roundHalf(v float64) float64 {
	const digits, least, most = 11, -24, 65504
	_, exponent := math.Frexp(v)
	step := math.Ldexp(1, max(exponent-digits, least))
	r := math.RoundToEven(v/step) * step
	if math.Abs(r) > most {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return r
}

// npy returns an array as a .npy file, version 1. NumPy has no bfloat16: it is saved as a void type of two bytes.
func (a *array) npy() []byte {
	descr := map[string]string{"f16": "<f2", "bf16": "|V2", "f32": "<f4", "i8": "|i1", "i32": "<i4"}[a.element]
	var dims strings.Builder
	for _, n := range a.shape {
		fmt.Fprintf(&dims, "%d, ", n)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr,
		strings.TrimSuffix(dims.String(), " "))
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	out := b.Bytes()
	for _, v := range a.values {
		switch a.element {
		case "f16":
			out = binary.LittleEndian.AppendUint16(out, halfBits(v))
		case "bf16":
			out = binary.LittleEndian.AppendUint16(out, uint16(math.Float32bits(float32(v))>>16))
		case "f32":
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		case "i8":
			out = append(out, byte(int8(v)))
		default:
			out = binary.LittleEndian.AppendUint32(out, uint32(int64(v)))
		}
	}
	return out
}

// halfBits returns the bits of a number that float16 has exactly.
func halfBits(v float64) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	switch {
	case v == 0:
		return sign
	case math.IsInf(v, 0):
		return sign | 0x7c00
	case v < 0x1p-14:
		return sign | uint16(v*0x1p24)
	}
	fraction, exponent := math.Frexp(v)
	return sign | uint16(exponent+14)<<10 | uint16(fraction*2048)&0x3ff
}
