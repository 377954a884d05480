package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Timings travel as one binary field, which is empty if there are none:
//
//	least   float64, little-endian: the least timing in nanoseconds
//	excess  float32, little-endian, for each timing: by how many nanoseconds it exceeds the least
//
// A timing comes back with an error below 2^-24 (6·10^-8) of its excess, far below the resolution of a clock. A result
// can hold many thousand timings, and both ends handle them while others measure: a pipe costs more by the byte than
// arithmetic.

const (
	leastBytes  = 8
	excessBytes = 4
	// timingLimit is the magnitude in nanoseconds (52 days) from which on timings are refused.
	timingLimit = 1 << 52
)

// appendTimings appends the encoding of timings in nanoseconds to b.
func appendTimings(b []byte, ns []float64) ([]byte, error) {
	if len(ns) == 0 {
		return b, nil
	}
	least := ns[0]
	for i, t := range ns {
		if !isTiming(t) {
			return b, fmt.Errorf("timing %d is %v ns: not a number of nanoseconds below 52 days", i, t)
		}
		if t < least {
			least = t
		}
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(least))
	at := len(b)
	b = slices.Grow(b, excessBytes*len(ns))[:at+excessBytes*len(ns)]
	out := b[at:]
	for ; len(ns) >= 2 && len(out) >= 2*excessBytes; ns, out = ns[2:], out[2*excessBytes:] { // what a store takes
		low, high := math.Float32bits(float32(ns[0]-least)), math.Float32bits(float32(ns[1]-least))
		binary.LittleEndian.PutUint64(out, uint64(low)|uint64(high)<<32)
	}
	if len(ns) > 0 {
		binary.LittleEndian.PutUint32(out, math.Float32bits(float32(ns[0]-least)))
	}
	return b, nil
}

// parseTimings returns the timings that appendTimings has encoded. Without an error, the slice is never nil.
func parseTimings(b []byte) ([]float64, error) {
	if len(b) == 0 {
		return []float64{}, nil
	}
	if len(b) < leastBytes+excessBytes || (len(b)-leastBytes)%excessBytes != 0 {
		return nil, fmt.Errorf("timings of %d bytes: want 8, and 4 for each timing", len(b))
	}
	least := math.Float64frombits(binary.LittleEndian.Uint64(b))
	b = b[leastBytes:]
	ns := make([]float64, len(b)/excessBytes)
	most := uint32(0) // the bits of floats that are not negative have the order of the floats; bits of others are larger
	for i := range ns {
		bits := binary.LittleEndian.Uint32(b[excessBytes*i:])
		most = max(most, bits)
		ns[i] = least + float64(math.Float32frombits(bits))
	}
	if !isTiming(least) || math.Signbit(float64(math.Float32frombits(most))) ||
		!isTiming(least+float64(math.Float32frombits(most))) {
		return nil, errors.New("a timing is not a number of nanoseconds below 52 days")
	}
	return ns, nil
}

func isTiming(ns float64) bool { return ns > -timingLimit && ns < timingLimit } // it is false for NaN
