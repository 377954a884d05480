package tracytest

import (
	"io"
	"math"
)

// period is the number of pairs of zones after which those of Repeated are the same again.
const period = 6300

// WriteLarge writes a capture like that of Repeated, of at least so many bytes, in little memory. It returns the number
// of zones.
func WriteLarge(w io.Writer, v uint32, size int64) (zones int, err error) {
	pairs := repeatedPairs(v, 0, period)
	periods := int(size/int64(len(pairs))) + 1
	zones = 2 * period * periods
	start := Stream{Version: v}
	start.repeatedHead(zones)
	c := &container{w: w}
	c.write([]byte{'t', 'r', 0xFD, 'P', 0, 1}, start.Bytes())
	for range periods {
		c.write(nil, pairs)
	}
	end := Stream{Version: v}
	end.repeatedEnd()
	c.write(nil, end.Bytes())
	c.flush()
	return zones, c.err
}

// container writes the blocks of one stream as they come, without compressing them.
type container struct {
	w       io.Writer
	pending []byte
	err     error
}

// write writes the beginning of the file, as it is, and then more of the stream.
func (c *container) write(head, stream []byte) {
	if c.put(head); len(stream) == 0 {
		return
	}
	c.pending = append(c.pending, stream...)
	for len(c.pending) >= BlockSize {
		c.put(AppendBlock(nil, Literals(c.pending[:BlockSize])))
		c.pending = c.pending[BlockSize:]
	}
}

func (c *container) flush() { c.put(AppendBlock(nil, Literals(c.pending))) }

func (c *container) put(b []byte) {
	if c.err == nil && len(b) > 0 {
		_, c.err = c.w.Write(b)
	}
}

// repeatedHead writes what is before the zones of Repeated.
func (w *Stream) repeatedHead(zones int) {
	w.Header(math.MaxInt32)
	w.Tables()
	w.Side()
	w.Put(uint64(zones), uint64(zones/2), uint64(1))
	w.Thread(500, zones, uint32(zones/2))
}

// repeatedPairs returns pairs of zones, of which the second is in the first.
func repeatedPairs(v uint32, from, to int) []byte {
	w := Stream{Version: v}
	for i := from; i < to; i++ {
		w.Put(int16(i%2+1), int64(i%50), uint32(0), uint32(1))
		w.Put(int16(-1), int64(10+i%7), uint32(i%20/19), uint32(0), int64(100+i%90), int64(5))
	}
	return w.Bytes()
}

// repeatedEnd writes what is behind the zones of Repeated.
func (w *Stream) repeatedEnd() {
	w.Put(uint64(0), uint64(0), uint64(0))
	w.GPU()
	w.Rest()
}
