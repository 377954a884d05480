package values

import (
	"math"

	"zonemark/invocations"
)

// float8 is a floating-point format of eight bits: a sign, an exponent and a stored significand. E5M2 has infinities
// and NaN as IEEE 754 has. The others have no infinities, and one pattern for NaN: in FN formats that of the largest
// magnitude, in FNUZ formats that of -0, which they lack. Sources: arXiv 2209.05433 and 2206.02915, and ml_dtypes.
type float8 struct {
	significandBits uint
	bias            int
	largest         byte // bits of the largest finite number
	beyond          byte // bits of what is larger: an infinity, or NaN
	nan             byte
	unsignedZero    bool // and one NaN, which has no sign either
}

var floats8 = map[invocations.ElementType]float8{
	invocations.Float8E5M2:     {significandBits: 2, bias: 15, largest: 0x7b, beyond: 0x7c, nan: 0x7e},
	invocations.Float8E4M3FN:   {significandBits: 3, bias: 7, largest: 0x7e, beyond: 0x7f, nan: 0x7f},
	invocations.Float8E5M2FNUZ: {significandBits: 2, bias: 16, largest: 0x7f, beyond: 0x80, nan: 0x80, unsignedZero: true},
	invocations.Float8E4M3FNUZ: {significandBits: 3, bias: 8, largest: 0x7f, beyond: 0x80, nan: 0x80, unsignedZero: true},
}

// toFloat64 returns the value of a number that is given by its bits. Every such value is exact.
func (f float8) toFloat64(b byte) float64 {
	magnitude := b & 0x7f
	var v float64
	switch exponent := int(magnitude >> f.significandBits); {
	case f.unsignedZero && b == f.nan:
		return math.NaN()
	case magnitude > f.largest && magnitude == f.beyond && f.beyond != f.nan:
		v = math.Inf(1)
	case magnitude > f.largest:
		return math.NaN()
	case exponent == 0:
		v = math.Ldexp(float64(magnitude), 1-f.bias-int(f.significandBits))
	default:
		significand := magnitude&(1<<f.significandBits-1) | 1<<f.significandBits
		v = math.Ldexp(float64(significand), exponent-f.bias-int(f.significandBits))
	}
	if b >= 0x80 {
		return math.Copysign(v, -1)
	}
	return v
}

// fromFloat64 rounds v once to the nearest number, ties to even. What is too large becomes infinite, or NaN in a format
// without infinities.
func (f float8) fromFloat64(v float64) byte {
	bits := f.nan
	if !math.IsNaN(v) {
		bits = f.beyond
		if !math.IsInf(v, 0) {
			if m := magnitudeBits(v, f.bias, f.significandBits); m <= uint64(f.largest) {
				bits = byte(m)
			}
		}
	}
	if math.Signbit(v) && !(f.unsignedZero && bits&0x7f == 0) {
		bits |= 0x80
	}
	return bits
}
