package invocations

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// encoder is the wire that writes. Its buffers are reused from message to message.
type encoder struct {
	span
	buffer bytes.Buffer // header and payload of the frame
	mp     *msgpack.Encoder
	bin    []byte   // timings
	keys   []string // of a map
	err    error
}

func newEncoder() *encoder {
	e := new(encoder)
	e.mp = msgpack.NewEncoder(&e.buffer)
	return e
}

// frame encodes a message with its header. The result is valid until the next call.
func (e *encoder) frame(m Message) ([]byte, error) {
	if m == nil {
		return nil, errors.New("sending a message: there is none")
	}
	if e.buffer.Cap() > keptBuffer {
		e.buffer = bytes.Buffer{}
	}
	e.span, e.err = span{}, nil
	e.buffer.Reset()
	e.buffer.Write(make([]byte, headerBytes))
	m.layout(e)
	frame := e.buffer.Bytes()
	if n := len(frame) - headerBytes; n > MaxFrame && e.err == nil {
		e.err = fmt.Errorf("%w: %d of at most %d bytes; take fewer samples or dispatches in one round", ErrFrameLength, n, MaxFrame)
	}
	if e.err != nil {
		return nil, fmt.Errorf("encoding a %s message: %w", m.Kind(), e.err)
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-headerBytes))
	return frame, nil
}

// put counts an element of the current array and says whether to write it. Writing itself cannot fail: the buffer grows.
func (e *encoder) put() bool {
	e.index++
	e.left--
	return e.err == nil
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = fmt.Errorf("field %d of %s: %w", e.index-1, e.name, err)
	}
}

func (e *encoder) message(k Kind, n int) span {
	outer := e.span
	e.mp.EncodeArrayLen(n)
	e.span = span{name: k.String(), left: n}
	e.put()
	e.mp.EncodeUint(uint64(k))
	return outer
}

func (e *encoder) open(name string, n int) span {
	if e.put() {
		e.mp.EncodeArrayLen(n)
	}
	outer := e.span
	e.span = span{name: name, left: n}
	return outer
}

func (e *encoder) openList(name string, n, _ int) (span, int) {
	if n >= 0 {
		return e.open(name, n), n
	}
	if e.put() {
		e.mp.EncodeNil()
	}
	outer := e.span
	e.span = span{name: name}
	return outer, n
}

func (e *encoder) close(outer span) {
	if e.left != 0 && e.err == nil {
		e.err = fmt.Errorf("the layout of %s announces %d elements and has %d", e.name, e.index+e.left, e.index)
	}
	e.span = outer
}

func (e *encoder) present(there bool) bool {
	if !there && e.put() {
		e.mp.EncodeNil()
	}
	return there
}

func (e *encoder) decoding() bool { return false }
func (e *encoder) ok() bool       { return e.err == nil }

func (e *encoder) id(p *string)   { e.text(p) }
func (e *encoder) word(p *string) { e.text(p) }

func (e *encoder) text(p *string) {
	if e.put() {
		e.mp.EncodeString(*p)
	}
}

func (e *encoder) flag(p *bool) {
	if e.put() {
		e.mp.EncodeBool(*p)
	}
}

func (e *encoder) int(p *int) {
	if e.put() {
		e.mp.EncodeInt(int64(*p))
	}
}

func (e *encoder) int64(p *int64) {
	if e.put() {
		e.mp.EncodeInt(*p)
	}
}

func (e *encoder) uint(p *uint) {
	if e.put() {
		e.mp.EncodeUint(uint64(*p))
	}
}

func (e *encoder) uint64(p *uint64) {
	if e.put() {
		e.mp.EncodeUint(*p)
	}
}

func (e *encoder) float64(p *float64) {
	if e.put() {
		e.mp.EncodeFloat64(*p)
	}
}

func (e *encoder) textMap(_ string, p *map[string]string) {
	if !e.put() {
		return
	}
	if *p == nil {
		e.mp.EncodeNil()
		return
	}
	e.mp.EncodeMapLen(len(*p))
	e.keys = slices.AppendSeq(e.keys[:0], maps.Keys(*p))
	slices.Sort(e.keys)
	for _, k := range e.keys {
		e.mp.EncodeString(k)
		e.mp.EncodeString((*p)[k])
	}
}

func (e *encoder) timings(p *[]float64) {
	if !e.put() {
		return
	}
	if *p == nil {
		e.mp.EncodeNil()
		return
	}
	bin, err := appendTimings(e.bin[:0], *p)
	if err != nil {
		e.fail(err)
		return
	}
	e.mp.EncodeBytes(bin)
	if cap(bin) <= keptBuffer {
		e.bin = bin
	}
}
