package values

import (
	"encoding/binary"
	"math"

	"zonemark/invocations"
)

// splitMix is the SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014, with the mixing constants of variant 13 by Stafford). Argument contents are hundreds of megabytes for cold
// measurements, and the generator takes about a nanosecond for 8 bytes. Its state is a counter, so no
// stream falls into a short cycle of another one.
type splitMix struct{ state uint64 }

// newSplitMix scrambles the seed first, because callers use neighbouring seeds for neighbouring arguments.
func newSplitMix(seed uint64) splitMix {
	s := splitMix{seed}
	return splitMix{s.next()}
}

func (s *splitMix) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fillRandom draws floats uniformly from [0,1), from the numbers k·2^-p that a type of p significant bits holds
// exactly; integers uniformly over their range; and booleans 0 or 1. Each draw fills 8 bytes; a shorter rest takes the
// lower bytes of one more draw.
func fillRandom(dst []byte, t invocations.ElementType, seed uint64) {
	fillMasked(dst, t, seed, ^uint64(0))
}

// fillSmall does the same, but integers of four and eight bytes are from 0 to 15.
func fillSmall(dst []byte, t invocations.ElementType, seed uint64) {
	mask := ^uint64(0)
	switch t {
	case invocations.Int32, invocations.Uint32:
		mask = 0x0000000f_0000000f
	case invocations.Int64, invocations.Uint64:
		mask = 0xf
	}
	fillMasked(dst, t, seed, mask)
}

// fillMasked draws as fillRandom does. Of integers, only the bits of the mask are drawn, which is for 8 bytes.
func fillMasked(dst []byte, t invocations.ElementType, seed, mask uint64) {
	random := newSplitMix(seed)
	draw := func() uint64 { return random.next() & mask }
	switch t {
	case invocations.Bool:
		draw = func() uint64 { return random.next() & 0x0101010101010101 }
	case invocations.Float16:
		draw = fractions(&random, 11, 16, func(f float64) uint64 { return uint64(Float16FromFloat64(f)) })
	case invocations.BFloat16:
		draw = fractions(&random, 8, 16, func(f float64) uint64 { return uint64(BFloat16FromFloat64(f)) })
	case invocations.Float32:
		draw = func() uint64 {
			x := random.next()
			low := math.Float32bits(float32(x&(1<<24-1)) * 0x1p-24)
			high := math.Float32bits(float32(x>>40) * 0x1p-24)
			return uint64(high)<<32 | uint64(low)
		}
	case invocations.Float64:
		draw = func() uint64 { return math.Float64bits(float64(random.next()>>11) * 0x1p-53) }
	}
	if f, known := floats8[t]; known {
		draw = fractions(&random, f.significandBits+1, 8, func(v float64) uint64 { return uint64(f.fromFloat64(v)) })
	}
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, draw())
	}
	if len(dst) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], draw())
		copy(dst, last[:])
	}
}

// fractions returns a function that draws as many floating-point numbers k·2^-bits of a width, 8 or 16, as there are in
// 64 bits, from a table of all of them.
func fractions(random *splitMix, bits, width uint, encode func(float64) uint64) func() uint64 {
	table := make([]uint64, 1<<bits)
	for k := range table {
		table[k] = encode(math.Ldexp(float64(k), -int(bits)))
	}
	mask := uint64(len(table) - 1)
	return func() (numbers uint64) {
		x := random.next()
		for at := uint(0); at < 64; at += width {
			numbers |= table[x>>at&mask] << at
		}
		return numbers
	}
}
