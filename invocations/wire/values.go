package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// values reads the MessagePack values of one payload in order. It checks every length against the bytes that are there
// and never descends into what it skips, so hostile bytes exhaust neither the memory nor the stack. The library's
// decoder guarantees neither.
type values struct {
	payload []byte
	at      int
}

// form is the form of a value.
type form uint8

const (
	isNil form = iota
	isBool
	isUnsigned
	isSigned
	isFloat
	isText
	isBinary
	isArray
	isMap
	isExtension
)

// head is the beginning of a value. For numbers and truth values it is the whole value.
type head struct {
	form   form
	code   byte
	bits   uint64 // of an integer (signed ones are extended to 64 bits), a truth value, or a float64
	length int    // bytes, elements or pairs that follow
}

var (
	errCutOff   = errors.New("the payload ends in the middle of a value")
	errReserved = errors.New("byte 0xc1, which MessagePack reserves")
)

func (s *values) remaining() int { return len(s.payload) - s.at }

// next reads the beginning of the next value. Layout: the MessagePack specification, "Formats".
func (s *values) next() (head, error) {
	if s.remaining() == 0 {
		return head{}, errCutOff
	}
	code := s.payload[s.at]
	s.at++
	switch {
	case code <= msgpcode.PosFixedNumHigh:
		return head{form: isUnsigned, code: code, bits: uint64(code)}, nil
	case code <= msgpcode.FixedMapHigh:
		return s.sized(isMap, code, uint64(code&msgpcode.FixedMapMask))
	case code <= msgpcode.FixedArrayHigh:
		return s.sized(isArray, code, uint64(code&msgpcode.FixedArrayMask))
	case code <= msgpcode.FixedStrHigh:
		return s.sized(isText, code, uint64(code&msgpcode.FixedStrMask))
	case code == msgpcode.Nil:
		return head{form: isNil, code: code}, nil
	case code < msgpcode.False:
		s.at--
		return head{}, errReserved
	case code <= msgpcode.True:
		return head{form: isBool, code: code, bits: uint64(code - msgpcode.False)}, nil
	case code <= msgpcode.Bin32:
		return s.long(isBinary, code, 1<<(code-msgpcode.Bin8))
	case code <= msgpcode.Ext32:
		return s.long(isExtension, code, 1<<(code-msgpcode.Ext8))
	case code <= msgpcode.Double:
		return s.number(isFloat, code, 4<<(code-msgpcode.Float))
	case code <= msgpcode.Uint64:
		return s.number(isUnsigned, code, 1<<(code-msgpcode.Uint8))
	case code <= msgpcode.Int64:
		return s.number(isSigned, code, 1<<(code-msgpcode.Int8))
	case code <= msgpcode.FixExt16:
		return s.sized(isExtension, code, 1<<(code-msgpcode.FixExt1))
	case code <= msgpcode.Str32:
		return s.long(isText, code, 1<<(code-msgpcode.Str8))
	case code <= msgpcode.Array32:
		return s.long(isArray, code, 2<<(code-msgpcode.Array16))
	case code <= msgpcode.Map32:
		return s.long(isMap, code, 2<<(code-msgpcode.Map16))
	}
	return head{form: isSigned, code: code, bits: uint64(int64(int8(code)))}, nil
}

// unsigned reads a big-endian number of width bytes.
func (s *values) unsigned(width int) (uint64, error) {
	if s.remaining() < width {
		return 0, errCutOff
	}
	var wide [8]byte
	copy(wide[8-width:], s.payload[s.at:s.at+width])
	s.at += width
	return binary.BigEndian.Uint64(wide[:]), nil
}

func (s *values) number(f form, code byte, width int) (head, error) {
	bits, err := s.unsigned(width)
	switch {
	case f == isSigned: // the sign is extended
		bits = uint64(int64(bits<<(64-8*width)) >> (64 - 8*width))
	case f == isFloat && width == 4:
		bits = math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	}
	return head{form: f, code: code, bits: bits}, err
}

func (s *values) long(f form, code byte, width int) (head, error) {
	length, err := s.unsigned(width)
	if err != nil {
		return head{}, err
	}
	return s.sized(f, code, length)
}

// sized returns an error for a length for which the payload has too few bytes.
func (s *values) sized(f form, code byte, length uint64) (head, error) {
	least := length
	switch f {
	case isMap:
		least = 2 * length
	case isExtension:
		length++ // its type
		least = length
	}
	if least > uint64(s.remaining()) {
		return head{}, fmt.Errorf("a length of %d with %d bytes left in the payload", length, s.remaining())
	}
	return head{form: f, code: code, length: int(length)}, nil
}

// take consumes n bytes, which the payload must have.
func (s *values) take(n int) []byte {
	b := s.payload[s.at : s.at+n]
	s.at += n
	return b
}

// skip consumes n values of any form. It counts the values that are still to be skipped, and does not recurse. Every
// value takes a byte, which bounds the loop.
func (s *values) skip(n int) error {
	for ; n > 0; n-- {
		h, err := s.next()
		if err != nil {
			return err
		}
		switch h.form {
		case isText, isBinary, isExtension:
			s.take(h.length)
		case isArray:
			n += h.length
		case isMap:
			n += 2 * h.length
		}
	}
	return nil
}
