package values

import "math"

// The two 16-bit formats: IEEE 754 binary16 has 5 exponent and 10 stored significand bits, bfloat16 has 8 and 7.
const (
	float16Exponent, float16Significand   = 5, 10
	bfloat16Exponent, bfloat16Significand = 8, 7
)

// Float16ToFloat32 returns the value of an IEEE 754 binary16 number, given by its bits. Every such value is exact in
// float32.
func Float16ToFloat32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h>>float16Significand) & 0x1f
	significand := uint32(h) & 0x3ff
	switch {
	case exponent == 0x1f: // infinity, or NaN with its payload
		return math.Float32frombits(sign | 0xff<<23 | significand<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | significand<<13)
	}
	// Subnormal: significand · 2⁻²⁴. The product is exact, and the sign is set after it so that -0 stays -0.
	return math.Float32frombits(sign | math.Float32bits(float32(significand)*0x1p-24))
}

// BFloat16ToFloat32 returns the value of a bfloat16 number, given by its bits: the upper half of a float32.
func BFloat16ToFloat32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// Float16FromFloat64 rounds f once to the nearest IEEE 754 binary16 number, ties to even. Values that exceed 65504 by
// half a unit or more become infinite. A NaN stays a quiet NaN of the same sign.
func Float16FromFloat64(f float64) uint16 {
	return narrow(f, float16Exponent, float16Significand)
}

// BFloat16FromFloat64 rounds f once to the nearest bfloat16 number, ties to even. A NaN stays a quiet NaN of the same
// sign.
func BFloat16FromFloat64(f float64) uint16 {
	return narrow(f, bfloat16Exponent, bfloat16Significand)
}

// narrow rounds f to a 16-bit format. It starts from float64, because going through float32 would round twice.
func narrow(f float64, exponentBits, significandBits uint) uint16 {
	sign := uint16(math.Float64bits(f)>>63) << 15
	infinity := uint16(1<<exponentBits-1) << significandBits
	switch {
	case math.IsNaN(f):
		return sign | infinity | 1<<(significandBits-1)
	case math.IsInf(f, 0):
		return sign | infinity
	}
	return sign | uint16(min(magnitudeBits(f, 1<<(exponentBits-1)-1, significandBits), uint64(infinity)))
}

// magnitudeBits rounds |f| once to the nearest number of a format, ties to even, and returns its bits, as if the format
// had exponents without end. f is finite.
func magnitudeBits(f float64, bias int, significandBits uint) uint64 {
	bits := math.Float64bits(f)
	field := int(bits >> 52 & 0x7ff)
	if field == 0 { // zero, or far below half of the smallest subnormal
		return 0
	}
	significand := bits&(1<<52-1) | 1<<52
	exponent := field - 1023 + bias // as the format stores it
	shift := 52 - significandBits
	if exponent <= 0 { // subnormal in the format: no implicit bit, so one exponent for all
		shift += uint(1 - exponent)
		if shift > 54 {
			return 0
		}
		return roundShift(significand, shift)
	}
	// The parts are added, not or-ed: a carry out of the significand goes to the next exponent.
	return uint64(exponent-1)<<significandBits + roundShift(significand, shift)
}

// roundShift returns x / 2^shift rounded to the nearest integer, ties to even; shift is 1 to 63.
func roundShift(x uint64, shift uint) uint64 {
	quotient, rest, half := x>>shift, x&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && quotient&1 == 1 {
		quotient++
	}
	return quotient
}
