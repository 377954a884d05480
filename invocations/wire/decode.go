package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// decoder reads what an encoder has written. Messages do not share its memory. It skips fields that this version does
// not know, and leaves missing fields zero, since new fields are always appended.
type decoder struct {
	values
	structs structs
	kind    Kind // 0 until it is known
	memory  int  // bytes that the message may still take
}

const (
	maxIDBytes = 64 // errors leave out longer ids
	// memoryPerByte is the memory in bytes that each byte of a payload may take. An empty text in a list takes 16, and
	// a struct of empty fields about as much.
	memoryPerByte = 32
	mapEntryBytes = 64 // memory of an entry of a map, without its texts
	// mostMemory is the memory in bytes that the lists, maps and structs of a message may take, beside texts and timings.
	mostMemory = 128 << 20
	// maxTextBytes is the greatest length of a text in an executor's message. Output of compilers is far shorter.
	maxTextBytes = 1 << 20
)

func newDecoder() *decoder { return &decoder{structs: structs{}} }

// decode decodes one payload. Its error is a *FrameError with an offset into the payload.
func (d *decoder) decode(b []byte) (Message, error) {
	d.values, d.kind, d.memory = values{payload: b}, 0, min(memoryPerByte*len(b), mostMemory)
	m, err := d.message()
	if err == nil && d.remaining() > 0 {
		err = fmt.Errorf("%d bytes after the message", d.remaining())
	}
	d.payload = nil
	// Only the first fields of a Hello are the same in every protocol. Check reports the difference by these.
	if h, ok := m.(*Hello); ok && h.Protocol != Protocol && (err == nil || h.Protocol != 0) {
		return &Hello{Protocol: h.Protocol, Build: h.Build}, nil
	}
	if err == nil {
		return m, nil
	}
	bad := &FrameError{Kind: d.kind, Offset: int64(d.at), Err: err}
	if m != nil {
		if id := reflect.ValueOf(m).Elem().FieldByName("ID"); id.IsValid() && id.Len() <= maxIDBytes {
			bad.ID = id.String()
		}
	}
	return nil, bad
}

// message decodes as much of a payload as it can. The message is nil if its kind is not known.
func (d *decoder) message() (Message, error) {
	n, err := d.length(isArray, "an array")
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("the kind of the message is missing")
	}
	var kind uint64
	if err := d.value(reflect.ValueOf(&kind).Elem()); err != nil {
		return nil, fmt.Errorf("kind of the message: %w", err)
	}
	if kind <= math.MaxUint8 {
		d.kind = Kind(kind)
	}
	m := newMessage(kind)
	if m == nil {
		return nil, fmt.Errorf("%w: %d", ErrUnknownKind, kind)
	}
	return m, d.fields(reflect.ValueOf(m).Elem(), n-1)
}

// fields decodes n elements of an array into the fields of a struct.
func (d *decoder) fields(v reflect.Value, n int) error {
	fields := d.structs.of(v.Type())
	for i, f := range fields {
		if i == n {
			return nil
		}
		if err := d.value(v.FieldByIndex(f.index)); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	if err := d.skip(n - len(fields)); err != nil {
		return fmt.Errorf("after the last field of %s: %w", v.Type().Name(), err)
	}
	return nil
}

// expect reads the beginning of the next value, which must have the given form. It does not consume a value of another
// form.
func (d *decoder) expect(f form, want string) (head, error) {
	start := d.at
	h, err := d.next()
	if err == nil && h.form != f {
		d.at = start
		return h, fmt.Errorf("want %s, found a value that starts with byte %#02x", want, h.code)
	}
	return h, err
}

func (d *decoder) length(f form, want string) (int, error) {
	h, err := d.expect(f, want)
	return h.length, err
}

// spend reduces the memory that the message may still take.
func (d *decoder) spend(count, size int) error {
	if count > d.memory/size {
		return fmt.Errorf("%d elements of %d bytes: more memory than a payload of %d bytes may take",
			count, size, len(d.payload))
	}
	d.memory -= count * size
	return nil
}

// value decodes the next value into v, which is zero.
func (d *decoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		n, err := d.length(isText, "a text")
		if err == nil && n > maxTextBytes && d.kind.fromExecutor() {
			return fmt.Errorf("a text of %d bytes, at most %d are taken from an executor", n, maxTextBytes)
		}
		if err == nil {
			v.SetString(string(d.take(n)))
		}
		return err
	case reflect.Bool:
		h, err := d.expect(isBool, "true or false")
		v.SetBool(h.bits != 0)
		return err
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return d.integer(v)
	case reflect.Float64:
		h, err := d.expect(isFloat, "a floating-point number")
		v.SetFloat(math.Float64frombits(h.bits))
		return err
	case reflect.Struct:
		n, err := d.length(isArray, "an array")
		if err != nil {
			return err
		}
		return d.fields(v, n)
	}
	if d.remaining() > 0 && d.payload[d.at] == msgpcode.Nil {
		d.at++
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	case reflect.Map:
		return d.texts(v)
	}
	switch v.Type().Elem().Kind() {
	case reflect.Float64:
		return d.timings(v)
	case reflect.Uint8:
		n, err := d.length(isBinary, "a binary field or nil")
		if err == nil {
			v.SetBytes(bytes.Clone(d.take(n)))
		}
		return err
	}
	return d.list(v)
}

func (d *decoder) integer(v reflect.Value) error {
	start := d.at
	h, err := d.next()
	if err != nil {
		return err
	}
	n := int64(h.bits)
	switch {
	case h.form != isUnsigned && h.form != isSigned:
		d.at = start
		return fmt.Errorf("want an integer, found a value that starts with byte %#02x", h.code)
	case v.CanUint() && h.form == isSigned && n < 0:
		return fmt.Errorf("want an unsigned integer, found %d", n)
	case v.CanUint() && v.OverflowUint(h.bits), v.CanInt() && h.form == isUnsigned && h.bits > math.MaxInt64:
		return fmt.Errorf("%d is beyond the integers of this field", h.bits)
	case v.CanInt() && v.OverflowInt(n):
		return fmt.Errorf("%d is beyond the integers of this field", n)
	case v.CanUint():
		v.SetUint(h.bits)
	default:
		v.SetInt(n)
	}
	return nil
}

func (d *decoder) list(v reflect.Value) error {
	n, err := d.length(isArray, "an array or nil")
	if err == nil {
		err = d.spend(n, int(v.Type().Elem().Size()))
	}
	if err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		if err := d.value(v.Index(i)); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

func (d *decoder) texts(v reflect.Value) error {
	n, err := d.length(isMap, "a map or nil")
	if err == nil {
		err = d.spend(n, mapEntryBytes)
	}
	if err != nil {
		return err
	}
	m := map[string]string{}
	for i := range n {
		var pair [2]string
		for j := range pair {
			if err := d.value(reflect.ValueOf(&pair[j]).Elem()); err != nil {
				return err
			}
		}
		if m[pair[0]] = pair[1]; len(m) != i+1 {
			return fmt.Errorf("key %q occurs twice", pair[0])
		}
	}
	v.Set(reflect.ValueOf(m))
	return nil
}

func (d *decoder) timings(v reflect.Value) error {
	n, err := d.length(isBinary, "timings (a binary field) or nil")
	if err != nil {
		return err
	}
	samples, err := parseTimings(d.take(n))
	v.Set(reflect.ValueOf(samples))
	return err
}
