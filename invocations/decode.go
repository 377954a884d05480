package invocations

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// decoder is the wire that reads. What it decodes refers to no memory of its own.
type decoder struct {
	span
	payload payload
	mp      *msgpack.Decoder
	kind    Kind
	subject string            // id of the invocation
	words   map[string]string // texts that recur, to be allocated once; at most maxWords of at most maxWordBytes each
	err     error
}

const (
	maxWords     = 256
	maxWordBytes = 32
	maxIDBytes   = 64 // a longer id is not repeated in errors
)

func newDecoder() *decoder {
	d := &decoder{words: make(map[string]string)}
	d.mp = msgpack.NewDecoder(&d.payload)
	return d
}

// decode decodes one payload. Its error is a *FrameError with an offset into the payload.
func (d *decoder) decode(b []byte) (Message, error) {
	d.payload = payload{bytes: b}
	d.kind, d.subject, d.err = 0, "", nil
	d.span = span{name: "the frame", left: 1}
	m := d.top()
	if m != nil {
		m.layout(d)
	}
	if n := d.payload.remaining(); n > 0 && d.err == nil {
		d.err = fmt.Errorf("%d bytes after the message", n)
	}
	d.payload.bytes = nil
	if d.err != nil {
		return nil, &FrameError{Kind: d.kind, ID: d.subject, Offset: int64(d.payload.at), Err: d.err}
	}
	return m, nil
}

// top reads the kind and returns an empty message of it, nil after an error.
func (d *decoder) top() Message {
	d.open("message", 1)
	var k uint64
	d.uint64(&k)
	if d.err != nil {
		return nil
	}
	if k > math.MaxUint8 {
		d.err = fmt.Errorf("%w: %d", ErrUnknownKind, k)
		return nil
	}
	d.kind = Kind(k)
	m := newMessage(d.kind)
	if m == nil {
		d.err = fmt.Errorf("%w: %d", ErrUnknownKind, k)
	}
	return m
}

// next counts an element of the current array and returns its first byte; false after an error.
func (d *decoder) next() (byte, bool) {
	if d.err != nil {
		return 0, false
	}
	if d.left <= 0 {
		d.err = fmt.Errorf("missing field %d of %s", d.index, d.name)
		return 0, false
	}
	d.left--
	d.index++
	code, ok := d.payload.code()
	if !ok {
		d.fail(errCutOff)
	}
	return code, ok
}

// fail notes an error in the element that next returned.
func (d *decoder) fail(err error) {
	if d.err != nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errCutOff
	}
	d.err = fmt.Errorf("field %d of %s: %w", d.index-1, d.name, err)
}

// mismatch notes that an element is of the wrong type.
func (d *decoder) mismatch(want string, code byte) {
	d.fail(fmt.Errorf("want %s, found a value that starts with byte %#02x", want, code))
}

func (d *decoder) message(k Kind, _ int) span {
	d.name = k.String() // decode has read the array's header and the kind
	return d.span
}

func (d *decoder) open(name string, _ int) span {
	code, ok := d.next()
	if !ok {
		return d.span
	}
	n := 0
	if isArray(code) {
		n = d.length(code, msgpcode.FixedArrayMask, d.mp.DecodeArrayLen, 1)
	} else {
		d.mismatch("an array", code)
	}
	outer := d.span
	d.span = span{name: name, left: n}
	return outer
}

func (d *decoder) openList(name string, _, least int) (span, int) {
	code, ok := d.next()
	if !ok {
		return d.span, 0
	}
	n := 0
	switch {
	case code == msgpcode.Nil:
		d.payload.at++
		n = -1
	case isArray(code):
		n = d.length(code, msgpcode.FixedArrayMask, d.mp.DecodeArrayLen, least)
	default:
		d.mismatch("an array or nil", code)
	}
	outer := d.span
	d.span = span{name: name, left: max(n, 0)}
	return outer, n
}

// length reads the length that starts with code and refuses one for which the payload has too few bytes. The one-byte forms, by far the most
// frequent, have it in the bits of mask; read reads the others. No element takes fewer than least bytes.
func (d *decoder) length(code, mask byte, read func() (int, error), least int) int {
	n := int(code & mask)
	if code < msgpcode.Nil {
		d.payload.at++
	} else {
		var err error
		if n, err = read(); err != nil {
			d.fail(err)
			return 0
		}
	}
	if n < 0 || n > d.payload.remaining()/least {
		d.fail(fmt.Errorf("a length of %d with %d bytes left in the payload", n, d.payload.remaining()))
		return 0
	}
	return n
}

// close skips the fields that this version does not know.
func (d *decoder) close(outer span) {
	if d.err != nil {
		return
	}
	if err := d.payload.skip(d.left); err != nil {
		d.err = fmt.Errorf("after field %d of %s: %w", d.index-1, d.name, err)
	}
	d.span = outer
}

func (d *decoder) present(bool) bool {
	if d.err != nil || d.left <= 0 {
		return d.err == nil // the struct's own open reports what is missing
	}
	code, ok := d.payload.code()
	if !ok || code != msgpcode.Nil {
		return true
	}
	d.next()
	d.payload.at++
	return false
}

func (d *decoder) decoding() bool { return true }
func (d *decoder) ok() bool       { return d.err == nil }

func isArray(c byte) bool {
	return c&^msgpcode.FixedArrayMask == msgpcode.FixedArrayLow || c == msgpcode.Array16 || c == msgpcode.Array32
}

func isMap(c byte) bool {
	return c&^msgpcode.FixedMapMask == msgpcode.FixedMapLow || c == msgpcode.Map16 || c == msgpcode.Map32
}

func isText(c byte) bool {
	return msgpcode.IsFixedString(c) || c == msgpcode.Str8 || c == msgpcode.Str16 || c == msgpcode.Str32
}

func isInteger(c byte) bool {
	return msgpcode.IsFixedNum(c) || c >= msgpcode.Uint8 && c <= msgpcode.Int64
}
