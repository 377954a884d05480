package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// encoder writes messages. Its buffers are reused from message to message.
//
//   - A message is an array: its kind, then its fields in the order of the Go struct.
//   - A struct is an array of its fields, an embedded one too. A pointer is nil or what it points to.
//   - A list is an array, and a map is a map with sorted keys; nil stays nil.
//   - A []float64 holds timings, which are one binary field: see timings.go. A []byte is a binary field, too.
//   - A field with the tag `msgpack:"-"` does not travel.
type encoder struct {
	buffer  bytes.Buffer // header and payload of the frame
	mp      *msgpack.Encoder
	structs structs
	timings []byte
	keys    []string // of a map
}

func newEncoder() *encoder {
	e := &encoder{structs: structs{}}
	e.mp = msgpack.NewEncoder(&e.buffer)
	return e
}

// structs holds the fields of each struct type that are encoded. Every encoder and decoder has its own.
type structs map[reflect.Type][]field

type field struct {
	index []int // as reflect.Value.FieldByIndex takes it
	name  string
}

func (s structs) of(t reflect.Type) []field {
	if fields, known := s[t]; known {
		return fields
	}
	var fields []field
	for i := range t.NumField() {
		switch f := t.Field(i); f.Tag.Get("msgpack") {
		case "-":
		case ",inline": // its fields stand in its place
			for _, inner := range s.of(f.Type) {
				fields = append(fields, field{append([]int{i}, inner.index...), inner.name})
			}
		default:
			fields = append(fields, field{[]int{i}, f.Name})
		}
	}
	s[t] = fields
	return fields
}

// frame encodes a message with its header. The result is valid until the next call.
func (e *encoder) frame(m Message) ([]byte, error) {
	if m == nil {
		return nil, errors.New("sending a message: there is none")
	}
	if e.buffer.Cap() > keptBuffer {
		e.buffer = bytes.Buffer{}
	}
	e.buffer.Reset()
	e.buffer.Write(make([]byte, headerBytes))
	v := reflect.ValueOf(m).Elem()
	fields := e.structs.of(v.Type())
	err := errors.Join(e.mp.EncodeArrayLen(1+len(fields)), e.mp.EncodeUint(uint64(m.Kind())), e.fields(v, fields))
	frame := e.buffer.Bytes()
	if n := len(frame) - headerBytes; err == nil && n > MaxFrame {
		err = fmt.Errorf("%w: %d of at most %d bytes; take fewer samples or dispatches in one round",
			ErrFrameLength, n, MaxFrame)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a %s message: %w", m.Kind(), err)
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-headerBytes))
	return frame, nil
}

func (e *encoder) fields(v reflect.Value, fields []field) error {
	for _, f := range fields {
		if err := e.value(v.FieldByIndex(f.index)); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

func (e *encoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		return e.mp.EncodeString(v.String())
	case reflect.Bool:
		return e.mp.EncodeBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return e.mp.EncodeInt(v.Int())
	case reflect.Uint, reflect.Uint64:
		return e.mp.EncodeUint(v.Uint())
	case reflect.Float64:
		return e.mp.EncodeFloat64(v.Float())
	case reflect.Struct:
		fields := e.structs.of(v.Type())
		e.mp.EncodeArrayLen(len(fields)) // writing into a buffer does not fail
		return e.fields(v, fields)
	}
	switch {
	case v.IsNil():
		return e.mp.EncodeNil()
	case v.Kind() == reflect.Pointer:
		return e.value(v.Elem())
	case v.Kind() == reflect.Map:
		return e.texts(v.Interface().(map[string]string))
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return e.mp.EncodeBytes(v.Bytes())
	}
	if samples, ok := v.Interface().([]float64); ok {
		var err error
		if e.timings, err = appendTimings(e.timings[:0], samples); err != nil {
			return err
		}
		return e.mp.EncodeBytes(e.timings)
	}
	e.mp.EncodeArrayLen(v.Len())
	for i := range v.Len() {
		if err := e.value(v.Index(i)); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

func (e *encoder) texts(m map[string]string) error {
	e.mp.EncodeMapLen(len(m))
	e.keys = slices.AppendSeq(e.keys[:0], maps.Keys(m))
	slices.Sort(e.keys)
	for _, key := range e.keys {
		e.mp.EncodeString(key)
		e.mp.EncodeString(m[key])
	}
	return nil
}
