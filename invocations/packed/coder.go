package packed

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// coder writes and reads values. It reads only what it has written, so bytes are not checked.
//
// A struct is the fields that differ from those of its model, each behind the distance from the field before it, and
// a zero.
type coder struct {
	written []byte
	rest    []byte // that is to be read
}

// fields writes the fields of a struct that differ from those of its model.
func (c *coder) fields(v, model reflect.Value) {
	last := -1
	for i := range v.NumField() {
		if f := v.Field(i); !equal(f, model.Field(i)) {
			c.uint(uint64(i - last))
			last = i
			if f.Kind() == reflect.Struct {
				c.fields(f, model.Field(i))
			} else {
				c.value(f)
			}
		}
	}
	c.uint(0)
}

// readFields reads a struct into a copy of its model.
func (c *coder) readFields(v reflect.Value) {
	for i := -1; ; {
		step := c.readUint()
		if step == 0 {
			return
		}
		i += int(step)
		if f := v.Field(i); f.Kind() == reflect.Struct {
			c.readFields(f)
		} else {
			c.read(f)
		}
	}
}

// value writes a value that has no model.
func (c *coder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		c.uint(uint64(v.Len()))
		c.written = append(c.written, v.String()...)
	case reflect.Bool:
		c.uint(uint64(map[bool]int{true: 1}[v.Bool()]))
	case reflect.Int, reflect.Int32, reflect.Int64:
		c.written = binary.AppendVarint(c.written, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		c.uint(v.Uint())
	case reflect.Float64:
		c.written = binary.LittleEndian.AppendUint64(c.written, math.Float64bits(v.Float()))
	case reflect.Struct:
		c.fields(v, reflect.Zero(v.Type()))
	case reflect.Pointer:
		if c.present(!v.IsNil(), 0) {
			c.value(v.Elem())
		}
	case reflect.Slice:
		if c.present(!v.IsNil(), v.Len()) {
			for i := range v.Len() {
				c.value(v.Index(i))
			}
		}
	case reflect.Map:
		if c.present(!v.IsNil(), v.Len()) {
			for key, element := range v.Seq2() {
				c.value(key)
				c.value(element)
			}
		}
	default:
		panic(fmt.Sprintf("packed: values of type %s", v.Type())) // a mistake in the program
	}
}

// read reads a value that has no model.
func (c *coder) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(c.take(int(c.readUint()))))
	case reflect.Bool:
		v.SetBool(c.readUint() == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(c.rest)
		c.rest = c.rest[size:]
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(c.readUint())
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(c.take(8))))
	case reflect.Struct:
		v.SetZero()
		c.readFields(v)
	case reflect.Pointer:
		v.SetZero()
		if c.readUint() > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			c.read(v.Elem())
		}
	case reflect.Slice:
		v.SetZero()
		if n := int(c.readUint()); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range n - 1 {
				c.read(v.Index(i))
			}
		}
	case reflect.Map:
		c.readMap(v)
	}
}

func (c *coder) readMap(v reflect.Value) {
	n := int(c.readUint())
	if n == 0 {
		v.SetZero()
		return
	}
	made := reflect.MakeMapWithSize(v.Type(), n-1)
	key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for range n - 1 {
		c.read(key)
		c.read(element)
		made.SetMapIndex(key, element)
	}
	v.Set(made)
}

// present writes 0 for nil, else the length plus 1.
func (c *coder) present(is bool, length int) bool {
	if !is {
		c.uint(0)
		return false
	}
	c.uint(uint64(length) + 1)
	return true
}

func (c *coder) uint(n uint64) { c.written = binary.AppendUvarint(c.written, n) }

func (c *coder) readUint() uint64 {
	n, size := binary.Uvarint(c.rest)
	c.rest = c.rest[size:]
	return n
}

func (c *coder) take(n int) []byte {
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

// equal reports whether two values of one type hold the same, bit by bit. A nil list differs from an empty one.
func equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Struct:
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		return a.IsNil() && b.IsNil() || !a.IsNil() && !b.IsNil() && equal(a.Elem(), b.Elem())
	case reflect.Slice:
		return equalLists(a, b)
	case reflect.Map:
		return equalMaps(a, b)
	}
	return a.Equal(b)
}

func equalLists(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	for i := range a.Len() {
		if !equal(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func equalMaps(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.UnsafePointer() == b.UnsafePointer() { // iterating over an empty one takes memory
		return true
	}
	for key, value := range a.Seq2() {
		other := b.MapIndex(key)
		if !other.IsValid() || !equal(value, other) {
			return false
		}
	}
	return true
}
