package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// Fill fills dst, dense little-endian elements of type t, as c describes. Random contents depend only on seed + c.Seed,
// t and the length of dst: a caller that fills several arguments gives each its own seed. FillDefault fills as
// FillRandom does, but integers of four and eight bytes, which may be indices or counts, are from 0 to 15. Iota counts
// modulo the range of an integer type, and modulo 2^p for a floating-point type of p significant bits, so that every
// element is an exact integer. The error names the contents and the type; dst may then be partly written.
func Fill(dst []byte, t invocations.ElementType, c invocations.Contents, seed uint64) error {
	size := t.Size()
	if size == 0 {
		return fmt.Errorf("contents %s: unknown element type %q", c, t)
	}
	if int64(len(dst))%size != 0 {
		return fmt.Errorf("contents %s: a buffer of %d bytes does not hold whole elements of %s", c, len(dst), t)
	}
	switch c.Fill {
	case invocations.FillDefault:
		fillSmall(dst, t, seed+c.Seed)
	case invocations.FillRandom:
		fillRandom(dst, t, seed+c.Seed)
	case invocations.FillZeros:
		clear(dst)
	case invocations.FillIota:
		fillIota(dst, t)
	case invocations.FillConstant:
		bits, err := constantBits(t, c.Value)
		if err != nil {
			return fmt.Errorf("contents %s: %w", c, err)
		}
		fillConstant(dst, bits, int(size))
	case invocations.FillList:
		return fillList(dst, t, c.Value)
	case invocations.FillFile:
		return fillFromFile(dst, t, c)
	default:
		return fmt.Errorf("contents %q: no such fill; want random, zeros, iota, constant, list or file", string(c.Fill))
	}
	return nil
}

// fillIota counts up from 0. Eight-byte counters cannot reach their end in memory; shorter ones wrap around by losing
// their upper bits.
func fillIota(dst []byte, t invocations.ElementType) {
	put := putter(int(t.Size()))
	size := int(t.Size())
	encode := func(i uint64) uint64 { return i }
	switch t {
	case invocations.Bool:
		encode = func(i uint64) uint64 { return i & 1 }
	case invocations.Float16:
		encode = func(i uint64) uint64 { return uint64(Float16FromFloat64(float64(i % (1 << 11)))) }
	case invocations.BFloat16:
		encode = func(i uint64) uint64 { return uint64(BFloat16FromFloat64(float64(i % (1 << 8)))) }
	case invocations.Float32:
		encode = func(i uint64) uint64 { return uint64(math.Float32bits(float32(i % (1 << 24)))) }
	case invocations.Float64:
		encode = func(i uint64) uint64 { return math.Float64bits(float64(i % (1 << 53))) }
	}
	if f, known := floats8[t]; known {
		encode = func(i uint64) uint64 { return uint64(f.fromFloat64(float64(i % (2 << f.significandBits)))) }
	}
	for i := uint64(0); len(dst) > 0; i, dst = i+1, dst[size:] {
		put(dst, encode(i))
	}
}

// fillConstant writes the lower size bytes of bits into every element. What it copies stays in the first cache.
func fillConstant(dst []byte, bits uint64, size int) {
	if len(dst) == 0 {
		return
	}
	putter(size)(dst, bits)
	const most = 8 << 10
	for done := size; done < len(dst); {
		done += copy(dst[done:], dst[:min(done, most)])
	}
}

// fillList writes one number for each element.
func fillList(dst []byte, t invocations.ElementType, values string) error {
	size := int(t.Size())
	put, n := putter(size), 0
	for value := range strings.FieldsSeq(values) {
		if n*size < len(dst) {
			bits, err := constantBits(t, value)
			if err != nil {
				return fmt.Errorf("contents, element %d: %w", n, err)
			}
			put(dst[n*size:], bits)
		}
		n++
	}
	if n*size != len(dst) {
		return fmt.Errorf("contents: %d values for %d elements; give one for each", n, len(dst)/size)
	}
	return nil
}

// putter returns a function that writes the lower size bytes of a value, little-endian.
func putter(size int) func(dst []byte, bits uint64) {
	switch size {
	case 1:
		return func(dst []byte, bits uint64) { dst[0] = byte(bits) }
	case 2:
		return func(dst []byte, bits uint64) { binary.LittleEndian.PutUint16(dst, uint16(bits)) }
	case 4:
		return func(dst []byte, bits uint64) { binary.LittleEndian.PutUint32(dst, uint32(bits)) }
	}
	return binary.LittleEndian.PutUint64
}

// constantBits encodes a decimal number as an element of type t, in the lower bytes of the result. Floating-point types
// round to nearest. A finite number that would become infinite, or a number other than zero that would become zero, is
// out of range.
func constantBits(t invocations.ElementType, value string) (uint64, error) {
	if t.Float() {
		return floatConstantBits(t, value)
	}
	negative, magnitude, err := parseInteger(value)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is not a value of %s: %w", value, t, err)
	}
	if err != nil || magnitude > largestMagnitude(t, negative) {
		return 0, fmt.Errorf("%s is out of range for %s", value, t)
	}
	if negative {
		return -magnitude, nil
	}
	return magnitude, nil
}

// largestMagnitude returns the largest magnitude of an integer type above zero or, if negative is set, below zero.
func largestMagnitude(t invocations.ElementType, negative bool) uint64 {
	bits := uint(t.Size()) * 8
	switch t {
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		if negative {
			return 1 << (bits - 1)
		}
		return 1<<(bits-1) - 1
	case invocations.Bool:
		bits = 1
	}
	if negative {
		return 0
	}
	return math.MaxUint64 >> (64 - bits)
}

// parseInteger reads an integer in digits, or one below 2^53 that is written with a point or an exponent ("1e3"). Above
// 2^53, the value of such a text is not exact to the last bit.
func parseInteger(value string) (negative bool, magnitude uint64, err error) {
	digits, negative := strings.CutPrefix(value, "-")
	magnitude, err = strconv.ParseUint(digits, 10, 64)
	if !errors.Is(err, strconv.ErrSyntax) {
		return negative, magnitude, err
	}
	f, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return false, 0, err
	case f != math.Trunc(f) || math.IsInf(f, 0):
		return false, 0, errors.New("not an integer")
	case math.Abs(f) > 1<<53:
		return false, 0, errors.New("an integer beyond 2^53 must be written in plain digits")
	}
	return f < 0, uint64(math.Abs(f)), nil
}

func floatConstantBits(t invocations.ElementType, value string) (uint64, error) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is not a value of %s: not a number", value, t)
	}
	var bits uint64
	var rounded float64
	small, is8 := floats8[t]
	switch {
	case is8:
		b := small.fromFloat64(f)
		bits, rounded = uint64(b), small.toFloat64(b)
	case t == invocations.Float16:
		h := Float16FromFloat64(f)
		bits, rounded = uint64(h), float64(Float16ToFloat32(h))
	case t == invocations.BFloat16:
		b := BFloat16FromFloat64(f)
		bits, rounded = uint64(b), float64(BFloat16ToFloat32(b))
	case t == invocations.Float32:
		single, _ := strconv.ParseFloat(value, 32) // from the text, not from f, which is already rounded
		bits, rounded = uint64(math.Float32bits(float32(single))), single
	default:
		bits, rounded = math.Float64bits(f), f
	}
	if err != nil || math.IsInf(rounded, 0) != math.IsInf(f, 0) || math.IsNaN(rounded) != math.IsNaN(f) ||
		(rounded == 0) != (f == 0) {
		return 0, fmt.Errorf("%s is out of range for %s", value, t)
	}
	return bits, nil
}
