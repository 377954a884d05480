package vmfb

import (
	"encoding/binary"
	"fmt"
)

// flatbuffer is a FlatBuffers message (flatbuffers.dev/internals). Every access is checked. The first one that fails is
// kept in err, and everything read afterwards is empty.
type flatbuffer struct {
	data   []byte
	origin int64 // byte of the file at which data begins, for error texts
	err    error
}

// fail keeps the first error.
func (b *flatbuffer) fail(at int, format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("byte %d: %s: the module is damaged; copy or compile it again",
			b.origin+int64(at), fmt.Sprintf(format, args...))
	}
}

// bytes returns n bytes at a position, or nil if they are not all in the message.
func (b *flatbuffer) bytes(at, n int) []byte {
	if b.err != nil {
		return nil
	}
	if at < 0 || n < 0 || at > len(b.data) || n > len(b.data)-at {
		b.fail(at, "%d bytes reach beyond the flatbuffer's %d", n, len(b.data))
		return nil
	}
	return b.data[at : at+n]
}

func (b *flatbuffer) uint16(at int) int {
	if p := b.bytes(at, 2); p != nil {
		return int(binary.LittleEndian.Uint16(p))
	}
	return 0
}

func (b *flatbuffer) uint32(at int) uint32 {
	if p := b.bytes(at, 4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

// follow returns the position that the offset at a position refers to. An offset counts from its own position; 0 means
// none.
func (b *flatbuffer) follow(at int) int {
	offset := b.uint32(at)
	if b.err == nil && (offset == 0 || int64(offset) > int64(len(b.data)-at)) {
		b.fail(at, "offset %d leads out of the flatbuffer", offset)
	}
	if b.err != nil {
		return 0
	}
	return at + int(offset)
}

// table is one table of a message. Its zero value has no fields.
type table struct {
	b    *flatbuffer
	at   int // position of the table
	vt   int // position of its vtable
	size int // size of the vtable
}

// table reads the table at a position.
func (b *flatbuffer) table(at int) table {
	back := int32(b.uint32(at))
	if b.err != nil {
		return table{}
	}
	vt := int64(at) - int64(back)
	if vt < 0 || vt > int64(len(b.data)) {
		b.fail(at, "the table's vtable lies outside of the flatbuffer")
		return table{}
	}
	size := b.uint16(int(vt))
	if b.err == nil && (size < 4 || size%2 != 0) {
		b.fail(int(vt), "a vtable of %d bytes", size)
	}
	if b.err != nil {
		return table{}
	}
	return table{b, at, int(vt), size}
}

// field returns the position of a field, and false if it has its default value. Fields count from 0 in the order of the
// schema; a union takes two.
func (t table) field(i int) (at int, ok bool) {
	slot := 4 + 2*i
	if t.b == nil || slot+2 > t.size {
		return 0, false
	}
	offset := t.b.uint16(t.vt + slot)
	if offset == 0 {
		return 0, false
	}
	return t.at + offset, t.b.err == nil
}

func (t table) uint32(i int) uint32 {
	if at, ok := t.field(i); ok {
		return t.b.uint32(at)
	}
	return 0
}

func (t table) uint64(i int) uint64 {
	if at, ok := t.field(i); ok {
		if p := t.b.bytes(at, 8); p != nil {
			return binary.LittleEndian.Uint64(p)
		}
	}
	return 0
}

// vector returns the position of the first element of a vector, and how many elements of size bytes it has.
func (t table) vector(i, size int) (first, count int) {
	at, ok := t.field(i)
	if !ok {
		return 0, 0
	}
	at = t.b.follow(at)
	n := int64(t.b.uint32(at))
	if t.b.err == nil && n*int64(size) > int64(len(t.b.data)-at-4) {
		t.b.fail(at, "a vector of %d elements reaches beyond the flatbuffer", n)
	}
	if t.b.err != nil {
		return 0, 0
	}
	return at + 4, int(n)
}

// blob returns a vector of bytes, without copying.
func (t table) blob(i int) []byte {
	first, count := t.vector(i, 1)
	if count == 0 {
		return nil
	}
	return t.b.bytes(first, count)
}

func (t table) text(i int) string { return string(t.blob(i)) }

// children iterates over a vector of tables. Vectors may share tables, so the caller must limit what it keeps of them.
func (t table) children(i int) func(yield func(int, table) bool) {
	first, count := t.vector(i, 4)
	return func(yield func(int, table) bool) {
		for k := range count {
			at := t.b.follow(first + 4*k)
			if t.b.err != nil {
				return
			}
			child := t.b.table(at)
			if t.b.err != nil || !yield(k, child) {
				return
			}
		}
	}
}
