package invocations

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Timings travel as one binary field:
//
//	count   unsigned varint
//	count × signed varint: the first timing, then the difference of each from the one before, in picoseconds
//
// A varint is little-endian in groups of seven bits, the high bit of a byte saying that another follows; a signed one is zigzag-encoded first
// (0, -1, 1, -2, … become 0, 1, 2, 3, …). Both are those of encoding/binary. A timing is rounded to the nearest picosecond, and comes back
// as the float64 nearest to that; above 2^51 ps (37 minutes) the step of the float64 itself is what limits it.
//
// A result can hold many thousand timings, and both ends handle them while others measure. The loops below are therefore fast where varints take
// four bytes (differences from 1 to 134 µs), two of them at a time, and leave every other size to encoding/binary.

// timingLimit is the least magnitude in picoseconds (53 days) that is refused. Below it the difference of two timings fits into an int64.
const timingLimit = 1 << 62

// math.Round(x) is the integer part of x + belowHalf for every x whose bits are below roundable: x is then neither negative nor NaN, and below
// 2^51, where the sum is exact to a half at least. The addend is the float64 before 1/2, so that the one before 1/2 is not rounded up.
const (
	belowHalf = 0.5 - 1.0/(1<<54)
	roundable = (1023 + 51) << 52
)

// differenceBlock is the number of timings that are converted before any is written.
const differenceBlock = 64

// appendTimings appends the encoding of timings in nanoseconds to b.
func appendTimings(b []byte, ns []float64) ([]byte, error) {
	b = slices.Grow(b, (len(ns)+1)*binary.MaxVarintLen64)
	b = binary.AppendUvarint(b, uint64(len(ns)))
	var block [differenceBlock]uint64
	last := int64(0)
	for done := 0; done < len(ns); done += differenceBlock {
		part := ns[done:min(done+differenceBlock, len(ns))]
		for i, t := range part {
			x := float64(t * 1000) // the conversion keeps compilers from fusing the sum below
			ps := int64(x + belowHalf)
			if math.Float64bits(x) >= roundable {
				if !(x > -timingLimit && x < timingLimit) { // NaN too
					return b, fmt.Errorf("timing %d is %v ns: not a number of nanoseconds below 53 days", done+i, t)
				}
				ps = int64(math.Round(x))
			}
			difference := ps - last
			last = ps
			block[i%differenceBlock] = uint64(difference<<1) ^ uint64(difference>>63)
		}
		b = appendUvarints(b, block[:len(part)])
	}
	return b, nil
}

// appendUvarints appends the varint of each number.
func appendUvarints(b []byte, numbers []uint64) []byte {
	for ; len(numbers) >= 2; numbers = numbers[2:] {
		x, y := numbers[0], numbers[1]
		if x-1<<21 < 1<<28-1<<21 && y-1<<21 < 1<<28-1<<21 { // both take four bytes
			b = binary.LittleEndian.AppendUint64(b, spread(x|y<<32)|0x0080808000808080)
			continue
		}
		b = binary.AppendUvarint(b, x)
		b = binary.AppendUvarint(b, y)
	}
	for _, x := range numbers {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

// spread moves each group of seven bits of two 28-bit numbers, in the halves of x, into a byte of its own.
func spread(x uint64) uint64 {
	return x&0x0000007f0000007f | x<<1&0x00007f0000007f00 | x<<2&0x007f0000007f0000 | x<<3&0x7f0000007f000000
}

// gather is the inverse of spread; it ignores the high bits of the bytes.
func gather(x uint64) uint64 {
	return x&0x0000007f0000007f | x>>1&0x00003f8000003f80 | x>>2&0x001fc000001fc000 | x>>3&0x0fe000000fe00000
}

// parseTimings is the inverse of appendTimings; the result is never nil without an error.
func parseTimings(b []byte) ([]float64, error) {
	count, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, errors.New("timings without a count")
	}
	b = b[n:]
	if count > uint64(len(b)) { // each takes a byte at least
		return nil, fmt.Errorf("%d timings announced in %d bytes", count, len(b))
	}
	ns := make([]float64, count)
	ps := int64(0)
	for i := range ns {
		var difference int64
		if len(b) >= 4 && binary.LittleEndian.Uint32(b)&0x80808080 == 0x00808080 { // four bytes
			zigzag := gather(uint64(binary.LittleEndian.Uint32(b)))
			difference = int64(zigzag>>1) ^ -int64(zigzag&1)
			b = b[4:]
		} else {
			difference, n = binary.Varint(b)
			if n <= 0 {
				return nil, fmt.Errorf("timing %d of %d is cut off or longer than 64 bits", i, count)
			}
			b = b[n:]
		}
		// A sum that overflows int64 ends up beyond the limit as well: one of its terms is below the limit.
		ps += difference
		if ps <= -timingLimit || ps >= timingLimit {
			return nil, fmt.Errorf("timing %d of %d is beyond 53 days", i, count)
		}
		ns[i] = float64(ps) / 1000
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes after the last of %d timings", len(b), count)
	}
	return ns, nil
}
