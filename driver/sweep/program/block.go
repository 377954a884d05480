package program

import (
	"math"
	"slices"
	"strconv"

	"zonemark/driver/sweep/operations"
)

// Block formats: 16 values along the last dimension share an exponent, the largest of theirs. A value keeps its sign
// and its magnitude, whose leading 1 is explicit, in 7, 3 or 1 bits below the shared exponent. The rules are those of
// tt_metal/impl/data_format/blockfloat_common.cpp of tenstorrent/tt-metal (commit 6f2b15d071ab), as the export of
// models has them: aligned significands lose the bits that fall out, then round to nearest, ties to even, and what does
// not fit after that is the largest magnitude. Zeros and denormals become +0. Exponents of 5 bits have bias 15; what is
// too large is the largest magnitude at 2^16, and what is smaller than 2^-15 counts as 2^-15.

const (
	blockValues    = 16
	singleBias     = 127
	halfBias       = 15
	fractionMask   = 0x7fffff
	hiddenBit      = 0x800000
	narrowMost     = 31
	significantAll = 24
)

// magnitudeBits returns the bits of a magnitude of a block format.
func magnitudeBits(f operations.Format) int {
	switch f {
	case operations.Bfp8, operations.Bfp8B:
		return 7
	case operations.Bfp4, operations.Bfp4B:
		return 3
	}
	return 1
}

// roundBlocks rounds values, which are float32 numbers, to a block format in place. Rows have columns values; a row of
// fewer than 16 values is a block of its own.
func roundBlocks(values []float64, columns int, f operations.Format) {
	size := blockValues
	if columns%size != 0 {
		size = columns
	}
	for block := range slices.Chunk(values, size) {
		roundBlock(block, f)
	}
}

func roundBlock(block []float64, f operations.Format) {
	kept, bias := magnitudeBits(f), singleBias
	if !f.Wide() {
		bias = halfBias
	}
	var exponents, fractions [blockValues]int32
	shared := int32(0)
	for i, v := range block {
		b := math.Float32bits(float32(v))
		exponents[i], fractions[i] = int32(b>>23)&0xff, int32(b&fractionMask)
		if !f.Wide() {
			exponents[i], fractions[i] = narrowed(exponents[i], fractions[i])
		}
		shared = max(shared, exponents[i])
	}
	drop := significantAll - kept
	for i, v := range block {
		aligned := (fractions[i] | hiddenBit) >> min(shared-exponents[i], 31)
		magnitude, lost, tie := aligned>>drop, aligned&(1<<drop-1), int32(1)<<(drop-1)
		if lost > tie || lost == tie && magnitude&1 == 1 {
			magnitude++
		}
		magnitude = min(magnitude, 1<<kept-1)
		rounded := math.Ldexp(float64(magnitude), int(shared)-(kept-1)-bias)
		if math.Float32bits(float32(v))>>23&0xff == 0 || rounded < 0x1p-126 {
			block[i] = 0
			continue
		}
		block[i] = math.Copysign(rounded, v)
	}
}

// narrowed moves an exponent with bias 127 to 5 bits with bias 15.
func narrowed(exponent, fraction int32) (int32, int32) {
	exponent += halfBias - singleBias
	switch {
	case exponent > narrowMost:
		return narrowMost, fractionMask
	case exponent < 0:
		return 0, 0
	}
	return exponent, fraction
}

// rounded writes the rounding of roundBlocks into a program, for a value in f32.
func (m *module) rounded(v value, f operations.Format) value {
	shape, last := v.shape, v.shape[len(v.shape)-1]
	size := blockValues
	if last%size != 0 {
		size = last
	}
	blocks := append(slices.Clone(shape[:len(shape)-1]), last/size, size)
	bits := m.bitcast(m.reshape(v, blocks...), "i32")
	number := func(n int) value { return m.like(bits, strconv.Itoa(n)) }
	exponent := m.apply("and", m.apply("shift_right_logical", bits, number(23)), number(0xff))
	fraction := m.apply("and", bits, number(fractionMask))
	zero := m.compare("EQ", exponent, number(0))
	bias := singleBias
	if !f.Wide() {
		bias = halfBias
		narrow := m.apply("add", exponent, number(halfBias-singleBias))
		low := m.choose(m.compare("LT", narrow, number(0)), number(0), fraction)
		fraction = m.choose(m.compare("GT", narrow, number(narrowMost)), number(fractionMask), low)
		exponent = m.between("0", narrow, strconv.Itoa(narrowMost))
	}
	most := m.reduce("maximum", exponent, "0", len(blocks)-1)
	dimensions := make([]int, len(blocks)-1)
	for i := range dimensions {
		dimensions[i] = i
	}
	shared := m.spread(most, blocks, dimensions...)
	distance := m.apply("minimum", m.apply("subtract", shared, exponent), number(31))
	aligned := m.apply("shift_right_logical", m.apply("or", fraction, number(hiddenBit)), distance)
	magnitude := m.magnitude(aligned, zero, magnitudeBits(f))
	return m.reshape(m.placed(bits, magnitude, shared, magnitudeBits(f)-1+bias), shape...)
}

// magnitude rounds aligned significands to bits.
func (m *module) magnitude(aligned, zero value, bits int) value {
	drop := significantAll - bits
	number := func(n int) value { return m.like(aligned, strconv.Itoa(n)) }
	kept := m.apply("shift_right_logical", aligned, number(drop))
	lost := m.apply("and", aligned, number(1<<drop-1))
	tie := number(1 << (drop - 1))
	odd := m.compare("EQ", m.apply("and", kept, number(1)), number(1))
	up := m.apply("or", m.compare("GT", lost, tie), m.apply("and", m.compare("EQ", lost, tie), odd))
	kept = m.apply("minimum", m.apply("add", kept, m.convert(up, "i32")), number(1<<bits-1))
	return m.choose(zero, number(0), kept)
}

// placed returns magnitudes as f32 at their shared exponent, with the signs of the bits.
func (m *module) placed(bits, magnitude, shared value, below int) value {
	number := func(n int) value { return m.like(bits, strconv.Itoa(n)) }
	shift := m.apply("subtract", shared, number(below))
	float := m.bitcast(m.convert(magnitude, "f32"), "i32")
	exponent := m.apply("add", m.apply("shift_right_logical", float, number(23)), shift)
	nothing := m.apply("or", m.compare("EQ", magnitude, number(0)), m.compare("LT", exponent, number(1)))
	moved := m.apply("add", float, m.apply("shift_left", shift, number(23)))
	sign := m.apply("and", bits, number(math.MinInt32))
	return m.bitcast(m.choose(nothing, number(0), m.apply("or", moved, sign)), "f32")
}
