package invocations

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Timings travel as one binary field:
//
//	count   unsigned varint
//	count × signed varint: the first timing, then the difference of each from the one before, in picoseconds
//
// A varint is little-endian in groups of seven bits, the high bit of a byte saying that another follows; a signed one is zigzag-encoded first
// (0, -1, 1, -2, … become 0, 1, 2, 3, …). Both are those of encoding/binary. A timing is rounded to the nearest picosecond, and comes back
// as the float64 nearest to that; above 2^51 ps (37 minutes) the step of the float64 itself is what limits it.

// timingLimit is the least magnitude in picoseconds (53 days) that is refused. Below it the difference of two timings fits into an int64.
const timingLimit = 1 << 62

// appendTimings appends the encoding of timings in nanoseconds to b.
func appendTimings(b []byte, ns []float64) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(ns)))
	last := int64(0)
	for i, t := range ns {
		t = math.Round(t * 1000)
		if !(math.Abs(t) < timingLimit) { // NaN too
			return b, fmt.Errorf("timing %d is %v ns: not a number of nanoseconds below 53 days", i, ns[i])
		}
		ps := int64(t)
		b = binary.AppendVarint(b, ps-last)
		last = ps
	}
	return b, nil
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
		delta, n := binary.Varint(b)
		if n <= 0 {
			return nil, fmt.Errorf("timing %d of %d is cut off or longer than 64 bits", i, count)
		}
		b = b[n:]
		// A sum that overflows int64 ends up beyond the limit as well: one of its terms is below the limit.
		ps += delta
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
