package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A cursor reads the inflated stream from front to back, holding one block of it. The first error stays: reads after it
// return zeros, so that a loop over a stored count must also look at err.
type cursor struct {
	path    string
	section string // named in errors
	source  *inflater
	buffer  []byte
	pos     int
	base    int64  // offset of buffer in the stream
	limit   int64  // more than the stream can be long
	budget  *int64 // bytes that may still be kept
	err     error
}

// budgetOf is how much memory a file may make a reader keep: side tables of real captures take a few times the file's
// size.
func budgetOf(fileSize int64) int64 { return 64<<20 + 256*fileSize }

func newCursor(c *container, budget *int64) *cursor {
	return &cursor{path: c.path, source: c.inflate(), limit: c.maxInflated(), budget: budget}
}

// close ends the inflating. It may be called twice.
func (c *cursor) close() {
	if c.source != nil {
		c.source.close()
		c.source = nil
	}
}

func (c *cursor) offset() int64 { return c.base + int64(c.pos) }

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = &FormatError{Path: c.path, Section: c.section, Offset: c.offset(), Err: err}
	}
}

func (c *cursor) failf(format string, a ...any) { c.fail(fmt.Errorf(format, a...)) }

// keep counts memory that is taken because the file asks for it.
func (c *cursor) keep(bytes int64) bool {
	*c.budget -= bytes
	if *c.budget < 0 {
		c.fail(errors.New("its tables take more memory than a file of this size can need; it is damaged or made to " +
			"do harm"))
	}
	return c.err == nil
}

// need makes n bytes, at most headroom, readable at pos in one piece.
func (c *cursor) need(n int) bool {
	return len(c.buffer)-c.pos >= n && c.err == nil || c.fill(n)
}

func (c *cursor) fill(n int) bool {
	for c.err == nil && len(c.buffer)-c.pos < n {
		block, err := c.source.block()
		if err == io.EOF {
			c.fail(ErrTruncated)
			break
		}
		if err != nil {
			c.err = err
			break
		}
		rest := copy(block[headroom-(len(c.buffer)-c.pos):], c.buffer[c.pos:])
		c.source.release()
		c.base += int64(c.pos)
		c.buffer, c.pos = block[headroom-rest:], 0
	}
	return c.err == nil
}

// bytes returns the next n ≤ headroom bytes, valid until the next read; zeros after an error.
func (c *cursor) bytes(n int) []byte {
	if !c.need(n) {
		return make([]byte, n)
	}
	c.pos += n
	return c.buffer[c.pos-n : c.pos : c.pos]
}

func (c *cursor) u8() uint8   { return c.bytes(1)[0] }
func (c *cursor) u16() uint16 { return binary.LittleEndian.Uint16(c.bytes(2)) }
func (c *cursor) u32() uint32 { return binary.LittleEndian.Uint32(c.bytes(4)) }
func (c *cursor) u64() uint64 { return binary.LittleEndian.Uint64(c.bytes(8)) }
func (c *cursor) i64() int64  { return int64(c.u64()) }

// u24 reads a number of three bytes, Tracy's Int24 and StringIdx.
func (c *cursor) u24() uint32 { return u24(c.bytes(3)) }

func i64(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

func u24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

func (c *cursor) f64() float64 { return math.Float64frombits(c.u64()) }

// count reads how many records follow, each of at least size bytes.
func (c *cursor) count(size int64) int64 {
	n := c.u64()
	if c.err == nil && n > uint64(c.limit-c.offset())/uint64(size) {
		c.pos -= 8
		c.failf("%d records of at least %d bytes are announced, more than there can be: %w", n, size, ErrTruncated)
	}
	if c.err != nil {
		return 0
	}
	return int64(n)
}

// skip passes over n bytes.
func (c *cursor) skip(n int64) {
	for n > 0 && c.err == nil {
		if have := int64(len(c.buffer) - c.pos); have >= n {
			c.pos += int(n)
			return
		} else {
			c.pos, n = len(c.buffer), n-have
		}
		c.fill(1)
	}
}

// skipTo passes over everything before an offset that an earlier pass has seen.
func (c *cursor) skipTo(offset int64) { c.skip(offset - c.offset()) }

// skipRecords passes over a count and that many records of size bytes.
func (c *cursor) skipRecords(size int64) { c.skip(c.count(size) * size) }

// appendBytes reads n bytes to the end of b.
func (c *cursor) appendBytes(b []byte, n int64) []byte {
	for n > 0 && c.need(1) {
		k := int(min(n, int64(len(c.buffer)-c.pos)))
		b = append(b, c.buffer[c.pos:c.pos+k]...)
		c.pos, n = c.pos+k, n-int64(k)
	}
	return b
}

// text reads a length and as many bytes.
func (c *cursor) text() string {
	n := c.count(1)
	if !c.keep(n) {
		return ""
	}
	return string(c.appendBytes(nil, n))
}
