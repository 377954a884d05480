// Package wire carries messages between the driver and the executor. It is the only package that knows how they are
// encoded. It knows nothing of processes, nor of the use of a message.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Protocol is the version of the wire format. It changes when a peer of another version could misread a message; fields
// that are appended to a message do not change it.
const Protocol = 2

// MaxFrame is the largest payload of a frame in bytes, for sender and receiver alike.
const MaxFrame = 64 << 20

// maxShortFrame is the largest payload of a message that has no lists: see Kind.short.
const maxShortFrame = 2 << 20

const (
	headerBytes = 4        // little-endian length of the payload
	readBuffer  = 64 << 10 // capacity of a Linux pipe, so that one read empties it
	queueBuffer = 16 << 10 // a quarter of a pipe, so that the reader works on one part while the next is filled
	keptBuffer  = 1 << 20  // longer buffers, which rare large messages need, are not kept
)

// Conn carries messages over a pair of byte streams, as frames: the length of the payload in bytes as a little-endian
// u32, then the payload, which is one message in MessagePack. Each message leaves in a single Write, so that a reader
// never waits for the rest of one, and a crash cuts off one frame at most.
//
// Several goroutines may call Send at once, but only one may call Receive. Conn closes neither stream.
type Conn struct {
	sending sync.Mutex
	w       io.Writer
	out     *encoder
	queued  []byte // complete frames that are not written yet
	broken  error  // error of a failed write, after which nothing can be sent, since part of a frame may be written

	r      *bufio.Reader
	in     *decoder
	large  []byte // payload of a frame that does not fit into the read buffer
	read   int64  // number of bytes consumed from the stream
	failed error  // error of a failed read, after which the next frame cannot be found
}

// NewConn returns a connection that receives from r and sends to w.
func NewConn(r io.Reader, w io.Writer) *Conn {
	return &Conn{w: w, out: newEncoder(), r: bufio.NewReaderSize(r, readBuffer), in: newDecoder()}
}

// Send writes the queued messages and then m, which it does not keep. If m cannot be encoded (a sample is not a number,
// the payload exceeds MaxFrame), Send returns an error and the stream stays as it was. After an error of the stream
// itself every later call returns that error.
func (c *Conn) Send(m Message) error { return c.send(m, true) }

// Queue is like Send, but the message may wait for the next Send, or until queueBuffer bytes wait. It is for a sender
// that has another message at once, since waking the reader costs both ends more than a message. Queued messages are
// lost if the process dies.
func (c *Conn) Queue(m Message) error { return c.send(m, false) }

func (c *Conn) send(m Message, now bool) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	if c.broken != nil {
		return c.broken
	}
	frame, err := c.out.frame(m)
	if err != nil {
		return err
	}
	if !now || len(c.queued) > 0 {
		c.queued = append(c.queued, frame...)
		frame = c.queued
	}
	if !now && len(frame) < queueBuffer {
		return nil
	}
	if _, err := c.w.Write(frame); err != nil {
		c.broken = fmt.Errorf("sending a %s message: %w", m.Kind(), err)
	}
	if c.queued = c.queued[:0]; cap(c.queued) > keptBuffer {
		c.queued = nil
	}
	return c.broken
}

// ErrFrameLength reports a length beyond MaxFrame. No zonemark sends such a length, so the bytes are not frames.
var ErrFrameLength = errors.New("frame longer than the limit")

// Receive reads one message, which belongs to the caller.
//
// The error is io.EOF if the stream ended between two frames, and wraps io.ErrUnexpectedEOF if it ended inside one. It
// is a *FrameError if a complete frame holds no valid message. Receive can then be called again for the next frame.
// Every other error is final.
func (c *Conn) Receive() (Message, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	start := c.read
	payload, err := c.payload()
	if err != nil {
		c.failed = err
		return nil, err
	}
	m, err := c.in.decode(payload)
	c.release(payload)
	if bad, ok := errors.AsType[*FrameError](err); ok {
		bad.Offset += start + headerBytes
	}
	return m, err
}

// payload reads the next frame. The result is valid until release.
func (c *Conn) payload() ([]byte, error) {
	header, err := c.r.Peek(headerBytes)
	if len(header) == 0 && err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, c.cut(err)
	}
	length := binary.LittleEndian.Uint32(header)
	if length > MaxFrame {
		return nil,
			fmt.Errorf("byte %d: %w: %d of at most %d bytes; "+
				"something that is not zonemark writes to this stream (a login message, output of native code)",
				c.read, ErrFrameLength, length, MaxFrame)
	}
	c.r.Discard(headerBytes)
	c.read += headerBytes
	if int(length) > c.r.Size() {
		if err := c.checkLong(int(length)); err != nil {
			return nil, err
		}
		return c.longPayload(int(length))
	}
	payload, err := c.r.Peek(int(length))
	if err != nil {
		return nil, c.cut(err)
	}
	return payload, nil
}

// checkLong returns an error if a message of this kind cannot have so long a payload. It looks at the first bytes of the
// payload, so that what is too long is not read at all.
func (c *Conn) checkLong(length int) error {
	start, err := c.r.Peek(kindPrefix)
	if err != nil {
		return c.cut(err)
	}
	skipped := 1 // bytes of the array's length
	switch start[0] {
	case msgpcode.Array16:
		skipped += 2
	case msgpcode.Array32:
		skipped += 4
	}
	first := values{payload: start[skipped:]}
	h, err := first.next()
	if kind := Kind(h.bits); err == nil && h.form == isUnsigned && newMessage(h.bits) != nil && kind.short() &&
		length > maxShortFrame {
		return fmt.Errorf("byte %d: %w: a %s message of %d of at most %d bytes",
			c.read, ErrFrameLength, kind, length, maxShortFrame)
	}
	return nil
}

// kindPrefix is how many bytes of a payload hold the length of its array and its kind, however they are encoded.
const kindPrefix = 5 + 9

// longPayload reads a payload that exceeds the read buffer. Memory grows with the bytes that arrive, not with the
// length that was announced.
func (c *Conn) longPayload(length int) ([]byte, error) {
	c.large = c.large[:0]
	for len(c.large) < length {
		have := len(c.large)
		step := min(length-have, max(have, readBuffer))
		c.large = slices.Grow(c.large, step)[:have+step]
		if _, err := io.ReadFull(c.r, c.large[have:]); err != nil {
			return nil, c.cut(err)
		}
	}
	return c.large, nil
}

// release consumes a payload.
func (c *Conn) release(payload []byte) {
	c.read += int64(len(payload))
	if len(payload) <= c.r.Size() {
		c.r.Discard(len(payload))
	} else if cap(c.large) > keptBuffer {
		c.large = nil
	}
}

// cut adds the place to an error inside a frame.
func (c *Conn) cut(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("in the frame at byte %d: %w", c.read, err)
}

// FrameError reports a complete frame whose payload is not a valid message.
type FrameError struct {
	Kind   Kind   // 0 if it could not be read
	ID     string // of the invocation; empty if it could not be read
	Offset int64  // position in the stream at which decoding stopped, in bytes since the Conn's first
	Err    error
}

// ErrUnknownKind reports a message of a kind that this zonemark does not know.
var ErrUnknownKind = errors.New("unknown kind of message")

func (e *FrameError) Error() string {
	about := "message"
	if e.Kind != 0 {
		about = e.Kind.String() + " message"
	}
	if e.ID != "" {
		about += " for " + e.ID
	}
	return fmt.Sprintf("%s, byte %d of the stream: %v", about, e.Offset, e.Err)
}

func (e *FrameError) Unwrap() error { return e.Err }
