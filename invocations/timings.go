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
//	count    unsigned varint, as in encoding/binary
//	blocks   of timingBlock timings each, the last one with what is left:
//	  width  one byte: 2, 4 or 8
//	  step   one byte: the signed exponent of a power of two, in nanoseconds
//	  least  float64, little-endian: the least timing of the block, in nanoseconds
//	  count × width bytes, little-endian: for widths 2 and 4 how many steps each timing exceeds the least, unsigned; for width 8 the timing itself
//	         as a float64, and step is 0
//
// The step is at most 2^-17 of the least timing, or 2^-14 ns: a timing comes back with a relative error below 4·10^-6, about what a clock
// tells in a batch of 200 µs, or exactly where such a step does not do. What was decoded is encoded to the same bytes again.
//
// A result can hold many thousand timings, and both ends handle them while others measure. Steps of one width are several times as fast to write
// and read as varints, whose sizes a processor must guess, and a pipe costs more by the byte than the arithmetic.

const (
	timingBlock  = 256
	timingHeader = 1 + 1 + 8
	// timingLimit is the least magnitude in nanoseconds (52 days) that is refused.
	timingLimit = 1 << 52

	relativeStep = 1.0 / (1 << 17)
	absoluteStep = 1.0 / (1 << 14)
	// spanSlack keeps the step the same when a block is encoded that was decoded, and so rounded, before.
	spanSlack = 1 - 1.0/(1<<40)
)

// appendTimings appends the encoding of timings in nanoseconds to b.
func appendTimings(b []byte, ns []float64) ([]byte, error) {
	b = binary.AppendUvarint(slices.Grow(b, binary.MaxVarintLen64), uint64(len(ns)))
	for done := 0; done < len(ns); done += timingBlock {
		block := ns[done:min(done+timingBlock, len(ns))]
		least, most := block[0], block[0]
		for i, t := range block {
			if !(t > -timingLimit && t < timingLimit) { // NaN too
				return b, fmt.Errorf("timing %d is %v ns: not a number of nanoseconds below 52 days", done+i, t)
			}
			if t < least {
				least = t
			}
			if t > most {
				most = t
			}
		}
		b = appendTimingBlock(b, block, least, most-least)
	}
	return b, nil
}

// appendTimingBlock appends one block of timings that exceed the least by at most span.
func appendTimingBlock(b []byte, ns []float64, least, span float64) []byte {
	width, exponent := timingStep(least, span)
	at := len(b)
	b = slices.Grow(b, timingHeader+len(ns)*width)[:at+timingHeader+len(ns)*width]
	b[at], b[at+1] = byte(width), byte(exponent)
	binary.LittleEndian.PutUint64(b[at+2:], math.Float64bits(least))
	out := b[at+timingHeader:]
	perStep := math.Ldexp(1, -exponent)
	switch width {
	case 2:
		for ; len(ns) >= 4 && len(out) >= 8; ns, out = ns[4:], out[8:] { // four at a time, which is what a store takes
			four := uint64(int64((ns[0]-least)*perStep+0.5)) | uint64(int64((ns[1]-least)*perStep+0.5))<<16 |
				uint64(int64((ns[2]-least)*perStep+0.5))<<32 | uint64(int64((ns[3]-least)*perStep+0.5))<<48
			binary.LittleEndian.PutUint64(out, four)
		}
		for i, t := range ns {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(int64((t-least)*perStep+0.5)))
		}
	case 4:
		for i, t := range ns {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(int64((t-least)*perStep+0.5)))
		}
	case 8:
		for i, t := range ns {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(t))
		}
	}
	return b
}

// timingStep is the least width whose step is fine enough, with the least step that reaches over the span.
func timingStep(least, span float64) (width, exponent int) {
	finest := max(least*relativeStep, absoluteStep)
	for width = 2; width <= 4; width *= 2 {
		most := mostSteps(width)
		fraction, exponent := math.Frexp(span * spanSlack / most) // fraction·2^exponent, the fraction from 1/2 to below 1
		switch fraction {
		case 0:
			exponent = math.MinInt8
		case 0.5:
			exponent--
		}
		exponent = max(exponent, math.MinInt8)
		if step := math.Ldexp(1, exponent); step <= finest && least+step*most < timingLimit {
			return width, exponent
		}
	}
	return 8, 0
}

// mostSteps is the largest number that takes width bytes.
func mostSteps(width int) float64 { return float64(uint64(1)<<(8*width) - 1) }

// parseTimings is the inverse of appendTimings; the result is never nil without an error.
func parseTimings(b []byte) ([]float64, error) {
	count, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, errors.New("timings without a count")
	}
	b = b[n:]
	if count > uint64(len(b))/2 { // each takes two bytes at least
		return nil, fmt.Errorf("%d timings announced in %d bytes", count, len(b))
	}
	ns := make([]float64, count)
	for done := 0; done < len(ns); done += timingBlock {
		block := ns[done:min(done+timingBlock, len(ns))]
		rest, err := parseTimingBlock(block, b)
		if err != nil {
			return nil, fmt.Errorf("timings from %d of %d: %w", done, count, err)
		}
		b = rest
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes after the last of %d timings", len(b), count)
	}
	return ns, nil
}

// parseTimingBlock reads one block and returns what follows it.
func parseTimingBlock(ns []float64, b []byte) (rest []byte, err error) {
	if len(b) < timingHeader {
		return nil, errors.New("cut off")
	}
	width, exponent, least := int(b[0]), int(int8(b[1])), math.Float64frombits(binary.LittleEndian.Uint64(b[2:]))
	if width != 2 && width != 4 && width != 8 {
		return nil, fmt.Errorf("width %d: want 2, 4 or 8", width)
	}
	b = b[timingHeader:]
	if len(b) < len(ns)*width {
		return nil, errors.New("cut off")
	}
	step := math.Ldexp(1, exponent)
	if most := mostSteps(width); !(least > -timingLimit && (width == 8 || least+step*most < timingLimit)) { // NaN too
		return nil, errors.New("beyond 52 days")
	}
	b, rest = b[:len(ns)*width], b[len(ns)*width:]
	switch width {
	case 2:
		for ; len(ns) >= 4 && len(b) >= 8; ns, b = ns[4:], b[8:] { // four at a time, which is what a load brings
			four := binary.LittleEndian.Uint64(b)
			ns[0] = least + step*float64(int64(four&0xffff))
			ns[1] = least + step*float64(int64(four>>16&0xffff))
			ns[2] = least + step*float64(int64(four>>32&0xffff))
			ns[3] = least + step*float64(int64(four>>48))
		}
		for i := range ns {
			ns[i] = least + step*float64(int64(binary.LittleEndian.Uint16(b[2*i:])))
		}
	case 4:
		for i := range ns {
			ns[i] = least + step*float64(int64(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case 8:
		for i := range ns {
			t := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			if !(t > -timingLimit && t < timingLimit) {
				return nil, errors.New("beyond 52 days")
			}
			ns[i] = t
		}
	}
	return rest, nil
}
