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
// two to four bytes (differences from 64 ps to 134 µs), and leave every other size to encoding/binary.

// timingLimit is the least magnitude in picoseconds (53 days) that is refused. Below it the difference of two timings fits into an int64.
const timingLimit = 1 << 62

// math.Round(x) is the integer part of x + belowHalf for every x whose bits are below roundable: x is then neither negative nor NaN, and below
// 2^51, where the sum is exact to a half at least. The addend is the float64 before 1/2, so that the one before 1/2 is not rounded up.
const (
	belowHalf = 0.5 - 1.0/(1<<54)
	roundable = (1023 + 51) << 52
)

// differenceBlock is the number of timings that are converted before any is written: two short loops overlap better than one long one.
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
			var ps int64
			if math.Float64bits(x) < roundable {
				ps = int64(x + belowHalf)
			} else if x > -timingLimit && x < timingLimit {
				ps = int64(math.Round(x))
			} else { // NaN too
				return b, fmt.Errorf("timing %d is %v ns: not a number of nanoseconds below 53 days", done+i, t)
			}
			difference := ps - last
			last = ps
			block[i%differenceBlock] = uint64(difference<<1) ^ uint64(difference>>63)
		}
		b = appendUvarints(b, block[:len(part)])
	}
	return b, nil
}

// appendUvarints appends the varint of each number. The capacity of b must suffice for all at their longest.
func appendUvarints(b []byte, numbers []uint64) []byte {
	at := len(b)
	b = b[:cap(b)]
	for _, x := range numbers {
		to, groups := b[at:], spread(uint32(x))
		switch {
		case x >= 1<<28:
			at += binary.PutUvarint(to, x)
		case x >= 1<<21:
			binary.LittleEndian.PutUint32(to, groups|0x00808080)
			at += 4
		case x >= 1<<14:
			binary.LittleEndian.PutUint32(to, groups|0x00008080) // the fourth byte is overwritten
			at += 3
		case x >= 1<<7:
			binary.LittleEndian.PutUint16(to, uint16(groups|0x00000080))
			at += 2
		default:
			to[0] = byte(x)
			at++
		}
	}
	return b[:at]
}

// spread moves each group of seven bits of a 28-bit number into a byte of its own.
func spread(x uint32) uint32 {
	return x&0x0000007f | x<<1&0x00007f00 | x<<2&0x007f0000 | x<<3&0x7f000000
}

// gather is the inverse of spread; it ignores the high bits of the bytes.
func gather(x uint32) uint32 {
	return x&0x0000007f | x>>1&0x00003f80 | x>>2&0x001fc000 | x>>3&0x0fe00000
}

// short is the varint at the start of b when it takes two to four bytes, else of size 0. Neighbouring timings are mostly of one size, which the
// processor then foresees.
func short(b []byte) (groups uint32, size int) {
	if len(b) < 4 {
		return 0, 0
	}
	x := binary.LittleEndian.Uint32(b)
	switch {
	case x&0x80808080 == 0x00808080:
		return x, 4
	case x&0x00808080 == 0x00008080:
		return x & 0x00ffffff, 3
	case x&0x00008080 == 0x00000080:
		return x & 0x0000ffff, 2
	}
	return 0, 0
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
		if groups, size := short(b); size > 0 {
			zigzag := int64(gather(groups))
			difference = zigzag>>1 ^ -(zigzag & 1)
			b = b[size:]
		} else {
			if difference, n = binary.Varint(b); n <= 0 {
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
