package values

import (
	"math"
	"testing"
)

// format16 holds the conversions of a 16-bit format and its parameters, from which valueOf derives the values
// independently.
type format16 struct {
	name                         string
	widen                        func(uint16) float32
	narrow                       func(float64) uint16
	exponentBits, significandBit int
}

var formats16 = []format16{
	{"float16", Float16ToFloat32, Float16FromFloat64, 5, 10},
	{"bfloat16", BFloat16ToFloat32, BFloat16FromFloat64, 8, 7},
}

// valueOf returns the value by the definition of the format; it is infinite also for the largest exponent with a
// significand of 0.
func (f format16) valueOf(bits uint16) float64 {
	exponent := int(bits>>f.significandBit) & (1<<f.exponentBits - 1)
	significand := int(bits) & (1<<f.significandBit - 1)
	bias := 1<<(f.exponentBits-1) - 1
	var v float64
	switch {
	case exponent == 1<<f.exponentBits-1 && significand != 0:
		return math.NaN()
	case exponent == 1<<f.exponentBits-1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(significand), 1-bias-f.significandBit)
	default:
		v = math.Ldexp(float64(significand+1<<f.significandBit), exponent-bias-f.significandBit)
	}
	if bits>>15 == 1 {
		return math.Copysign(v, -1)
	}
	return v
}

func TestFloat16EveryValue(t *testing.T) {
	for _, f := range formats16 {
		for i := range 1 << 16 {
			bits := uint16(i)
			want, got := f.valueOf(bits), float64(f.widen(bits))
			if math.IsNaN(want) {
				if back := f.narrow(got); !math.IsNaN(got) || !math.IsNaN(f.valueOf(back)) || back>>15 != bits>>15 {
					t.Fatalf("%s %#04x: NaN became %v and %#04x", f.name, bits, got, back)
				}
				continue
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s %#04x: got %v, want %v", f.name, bits, got, want)
			}
			if back := f.narrow(want); back != bits {
				t.Fatalf("%s %#04x = %v came back as %#04x", f.name, bits, want, back)
			}
		}
	}
}

// TestFloat16Rounding checks the midpoint of every two neighbours, and the numbers just beside it: ties go to the even
// one.
func TestFloat16Rounding(t *testing.T) {
	for _, f := range formats16 {
		infinity := uint16(1<<f.exponentBits-1) << f.significandBit
		for low := uint16(0); low < infinity; low++ {
			high := low + 1
			upper := f.valueOf(high)
			if high == infinity { // rounding sees the number that would follow if there were one more exponent
				upper = math.Ldexp(1, 1<<(f.exponentBits-1))
			}
			middle := (f.valueOf(low) + upper) / 2 // exact: one bit more than the format has
			even := low
			if low&1 == 1 {
				even = high
			}
			for _, c := range []struct {
				x    float64
				want uint16
			}{{math.Nextafter(middle, 0), low}, {middle, even}, {math.Nextafter(middle, math.Inf(1)), high}} {
				if got := f.narrow(c.x); got != c.want {
					t.Fatalf("%s: %v became %#04x, want %#04x", f.name, c.x, got, c.want)
				}
				if got := f.narrow(-c.x); got != c.want|0x8000 {
					t.Fatalf("%s: %v became %#04x, want %#04x", f.name, -c.x, got, c.want|0x8000)
				}
			}
		}
		for _, x := range []float64{math.MaxFloat64, math.Inf(1), math.MaxFloat32 * 2} {
			if got := f.narrow(x); got != infinity {
				t.Errorf("%s: %v became %#04x, want infinity", f.name, x, got)
			}
		}
		if got := f.narrow(math.SmallestNonzeroFloat64); got != 0 {
			t.Errorf("%s: the least float64 became %#04x", f.name, got)
		}
	}
}
