package invocations

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// payload is the content of a frame with a position. It is the reader below the MessagePack decoder, and lets lengths be checked against
// the bytes that are there and texts be taken without a copy in between.
type payload struct {
	bytes []byte
	at    int
}

var (
	errCutOff   = errors.New("the payload ends in the middle of a value")
	errReserved = errors.New("byte 0xc1, which MessagePack reserves")
)

func (p *payload) remaining() int { return len(p.bytes) - p.at }

// code is the first byte of the next value, which is not consumed.
func (p *payload) code() (byte, bool) {
	if p.at >= len(p.bytes) {
		return 0, false
	}
	return p.bytes[p.at], true
}

// take consumes n bytes, which must be there.
func (p *payload) take(n int) []byte {
	b := p.bytes[p.at : p.at+n]
	p.at += n
	return b
}

// Read implements io.Reader.
func (p *payload) Read(b []byte) (int, error) {
	if p.at >= len(p.bytes) && len(b) > 0 {
		return 0, io.EOF
	}
	n := copy(b, p.bytes[p.at:])
	p.at += n
	return n, nil
}

// ReadByte implements io.ByteReader.
func (p *payload) ReadByte() (byte, error) {
	if p.at >= len(p.bytes) {
		return 0, io.EOF
	}
	p.at++
	return p.bytes[p.at-1], nil
}

// UnreadByte implements io.ByteScanner.
func (p *payload) UnreadByte() error {
	if p.at == 0 {
		return errors.New("at the beginning of the payload")
	}
	p.at--
	return nil
}

// skip consumes n values of any type and depth. It counts what is outstanding instead of descending, so that no nesting exhausts the stack.
func (p *payload) skip(n int) error {
	for ; n > 0; n-- {
		code, ok := p.code()
		if !ok {
			return errCutOff
		}
		width, body, values, err := extent(code)
		if err != nil {
			return err
		}
		p.at++
		if width > p.remaining() {
			return errCutOff
		}
		length := bigEndian(p.take(width))
		if length < 0 || length > p.remaining() { // values take a byte each at least, so this bounds the loop as well
			return fmt.Errorf("a length of %d in a payload with %d bytes left", length, p.remaining())
		}
		if values > 0 {
			n += values*length + body
			continue
		}
		if body += length; body > p.remaining() {
			return errCutOff
		}
		p.at += body
	}
	return nil
}

// extent says what follows the first byte of a value: a length of width bytes, then body bytes besides that length; for arrays and maps, values
// is the number of values for each of the length, and body the number of values besides.
//
// Layout: the MessagePack specification, "Formats".
func extent(code byte) (width, body, values int, err error) {
	switch {
	case code <= msgpcode.PosFixedNumHigh, code >= msgpcode.NegFixedNumLow:
		return 0, 0, 0, nil
	case code <= msgpcode.FixedMapHigh:
		return 0, 2 * int(code&msgpcode.FixedMapMask), 2, nil
	case code <= msgpcode.FixedArrayHigh:
		return 0, int(code & msgpcode.FixedArrayMask), 1, nil
	case code <= msgpcode.FixedStrHigh:
		return 0, int(code & msgpcode.FixedStrMask), 0, nil
	}
	switch code {
	case msgpcode.Nil, msgpcode.False, msgpcode.True:
		return 0, 0, 0, nil
	case msgpcode.Bin8, msgpcode.Str8:
		return 1, 0, 0, nil
	case msgpcode.Bin16, msgpcode.Str16:
		return 2, 0, 0, nil
	case msgpcode.Bin32, msgpcode.Str32:
		return 4, 0, 0, nil
	case msgpcode.Ext8:
		return 1, 1, 0, nil
	case msgpcode.Ext16:
		return 2, 1, 0, nil
	case msgpcode.Ext32:
		return 4, 1, 0, nil
	case msgpcode.FixExt1, msgpcode.FixExt2, msgpcode.FixExt4, msgpcode.FixExt8, msgpcode.FixExt16:
		return 0, 1 + 1<<(code-msgpcode.FixExt1), 0, nil
	case msgpcode.Uint8, msgpcode.Int8:
		return 0, 1, 0, nil
	case msgpcode.Uint16, msgpcode.Int16:
		return 0, 2, 0, nil
	case msgpcode.Uint32, msgpcode.Int32, msgpcode.Float:
		return 0, 4, 0, nil
	case msgpcode.Uint64, msgpcode.Int64, msgpcode.Double:
		return 0, 8, 0, nil
	case msgpcode.Array16:
		return 2, 0, 1, nil
	case msgpcode.Array32:
		return 4, 0, 1, nil
	case msgpcode.Map16:
		return 2, 0, 2, nil
	case msgpcode.Map32:
		return 4, 0, 2, nil
	}
	return 0, 0, 0, errReserved
}

// bigEndian is the unsigned number in at most four bytes.
func bigEndian(b []byte) int {
	var wide [8]byte
	copy(wide[8-len(b):], b)
	return int(binary.BigEndian.Uint64(wide[:]))
}
