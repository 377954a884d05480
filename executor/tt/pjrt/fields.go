package pjrt

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of the entries of every protobuf map.
const mapKey, mapValue = 1, 2

// messageFields calls visit for each field of a protobuf message: with the value of a varint, or with the bytes of a
// text or message, which are not nil and share memory with the message. Numbers of fixed size are visited without their
// value, since no message that is read here has one that matters. The messages are read field by field rather than
// through generated code: a profile of many megabytes holds a few fields that matter, and a plugin's messages are newer
// or older than any copy of their definitions.
func messageFields(message []byte, visit func(field protowire.Number, value uint64, bytes []byte) error) error {
	for at := 0; at < len(message); {
		field, kind, n := protowire.ConsumeTag(message[at:])
		if n < 0 {
			return fmt.Errorf("byte %d: a field's tag is cut off or impossible: %w", at, protowire.ParseError(n))
		}
		rest := message[at+n:]
		var value uint64
		var bytes []byte
		size := 0
		switch kind {
		case protowire.VarintType:
			value, size = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			if bytes, size = protowire.ConsumeBytes(rest); size < 0 {
				return fmt.Errorf("byte %d: a field is longer than the message: %w", at, protowire.ParseError(size))
			}
			bytes = bytes[:len(bytes):len(bytes)]
		case protowire.Fixed32Type, protowire.Fixed64Type:
			size = protowire.ConsumeFieldValue(field, kind, rest)
		default:
			return fmt.Errorf("byte %d: a field of wire type %d", at, kind)
		}
		if size < 0 {
			return fmt.Errorf("byte %d: a number is cut off: %w", at, protowire.ParseError(size))
		}
		if err := visit(field, value, bytes); err != nil {
			return err
		}
		at += n + size
	}
	return nil
}

// appendVarintField appends a number to a message.
func appendVarintField(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

// appendBytesField appends a text or message to a message.
func appendBytesField(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}
