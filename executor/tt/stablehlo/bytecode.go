package stablehlo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// counts finds the numbers of replicas and partitions that the program states as mhlo.num_replicas and
// mhlo.num_partitions; 0 if it does not state them.
func (b *bytecode) counts() (replicas, partitions int, err error) {
	for i := range b.attributes {
		for _, pair := range b.dictionary(uint64(i)) {
			var count *int
			switch b.name(pair[0]) {
			case "mhlo.num_replicas":
				count = &replicas
			case "mhlo.num_partitions":
				count = &partitions
			default:
				continue
			}
			n, known := b.integer(pair[1])
			if !known || n < 0 || n > maxDevices {
				return 0, 0, fmt.Errorf("MLIR bytecode: %s is no number from 0 to %d", b.name(pair[0]), maxDevices)
			}
			*count = int(n)
		}
	}
	return replicas, partitions, nil
}

// bytecode holds the parts of a program in MLIR bytecode that describe its attributes.
type bytecode struct {
	strings    [][]byte
	dialects   []string
	attributes []encoded
	types      []encoded
}

// encoded is an attribute or a type.
type encoded struct {
	builtin bool // it is in the encoding of the builtin dialect, and not in another's or text
	data    []byte
}

// These are the sections of the format.
const (
	stringSection    = 0
	dialectSection   = 1
	encodedSection   = 2 // attributes and types
	offsetSection    = 3 // of the former
	bytecodeSections = 4 // sections that are read
	newestBytecode   = 6
	sectionAligned   = 0x80
)

// readBytecode reads the attributes of a program in MLIR bytecode: those of MLIR's builtin dialect, of which those of
// a module are in StableHLO's portable artifacts, too, and no operations. Errors name the byte.
//
// The format is that of mlir.llvm.org/docs/BytecodeFormat, versions 0 to 6.
func readBytecode(program []byte) (*bytecode, error) {
	if !IsBytecode(program) {
		return nil, errors.New("byte 0: it is none")
	}
	r := &varints{data: program, at: len("ML\xefR")}
	if version := r.next(); version > newestBytecode {
		return nil, fmt.Errorf("its format is version %d, and zonemark knows them up to %d", version, newestBytecode)
	}
	r.text() // the producer
	var sections [bytecodeSections][]byte
	for r.err == nil && r.at < len(r.data) {
		id := r.byte()
		size := r.next()
		if id&sectionAligned != 0 {
			r.align(r.next())
		}
		data := r.bytes(size)
		if id &^= sectionAligned; id < bytecodeSections {
			sections[id] = data
		}
	}
	b := &bytecode{}
	if r.err != nil {
		return nil, r.err
	}
	for _, read := range []struct {
		what string
		read func([]byte) error
		data []byte
	}{
		{"strings", b.readStrings, sections[stringSection]}, {"dialects", b.readDialects, sections[dialectSection]},
		{"attributes", func(data []byte) error { return b.readEncoded(data, sections[encodedSection]) },
			sections[offsetSection]},
	} {
		if err := read.read(read.data); err != nil {
			return nil, fmt.Errorf("its %s: %w", read.what, err)
		}
	}
	return b, nil
}

// readStrings reads the section of strings: their count, their sizes in reverse order, and their bytes, each with a
// zero at its end.
func (b *bytecode) readStrings(section []byte) error {
	r := &varints{data: section}
	sizes := make([]uint64, r.count())
	for i := range sizes {
		sizes[len(sizes)-1-i] = r.next()
	}
	for _, size := range sizes {
		b.strings = append(b.strings, bytes.TrimSuffix(r.bytes(size), []byte{0}))
	}
	return r.err
}

// readDialects reads the names of the dialects, which begin the section of dialects.
func (b *bytecode) readDialects(section []byte) error {
	r := &varints{data: section}
	for range r.count() {
		name := r.next()
		if name&1 != 0 { // it states its version, in a section of its own
			if id := r.byte(); id&sectionAligned != 0 {
				return errors.New("the version of a dialect is aligned")
			}
			r.bytes(r.next())
		}
		b.dialects = append(b.dialects, string(b.string(name>>1)))
	}
	return r.err
}

// readEncoded cuts attributes and types, by the section of their offsets.
func (b *bytecode) readEncoded(offsets, section []byte) error {
	r, data := &varints{data: offsets}, &varints{data: section}
	attributes, types := r.next(), r.next()
	for _, list := range []struct {
		entries *[]encoded
		count   uint64
	}{{&b.attributes, attributes}, {&b.types, types}} {
		for r.err == nil && data.err == nil && uint64(len(*list.entries)) < list.count {
			dialect, count := r.next(), r.next()
			if dialect >= uint64(len(b.dialects)) || count == 0 {
				return fmt.Errorf("byte %d: there is no dialect %d, or it has no entries", r.at, dialect)
			}
			for i := uint64(0); i < count && r.err == nil && data.err == nil; i++ {
				size := r.next()
				custom := size&1 != 0 && b.dialects[dialect] == "builtin"
				*list.entries = append(*list.entries, encoded{custom, data.bytes(size >> 1)})
			}
		}
	}
	return errors.Join(r.err, data.err)
}

// string returns a string by its index; nil if there is none.
func (b *bytecode) string(index uint64) []byte {
	if index >= uint64(len(b.strings)) {
		return nil
	}
	return b.strings[index]
}

// These are the codes of the kinds of attributes and types that are read, see BuiltinDialectBytecode.td of MLIR.
const (
	builtinDictionary  = 1
	builtinString      = 2
	builtinInteger     = 8
	builtinIntegerType = 0
)

// decode returns what follows the code of an attribute or a type of the builtin dialect; nil if there is none with this
// index, or it is of another kind.
func decode(list []encoded, index, code uint64) *varints {
	if index >= uint64(len(list)) || !list[index].builtin {
		return nil
	}
	if r := (&varints{data: list[index].data}); r.next() == code && r.err == nil {
		return r
	}
	return nil
}

// dictionary returns the indices of names and values of a dictionary; nil if the attribute is no dictionary.
func (b *bytecode) dictionary(index uint64) (pairs [][2]uint64) {
	r := decode(b.attributes, index, builtinDictionary)
	if r == nil {
		return nil
	}
	for range r.count() {
		pairs = append(pairs, [2]uint64{r.next(), r.next()})
	}
	return pairs
}

// name returns the text of a string attribute; "" if the attribute is no string.
func (b *bytecode) name(index uint64) string {
	r := decode(b.attributes, index, builtinString)
	if r == nil {
		return ""
	}
	return string(b.string(r.next()))
}

// integer returns the value of an integer attribute.
func (b *bytecode) integer(index uint64) (value int64, known bool) {
	r := decode(b.attributes, index, builtinInteger)
	if r == nil {
		return 0, false
	}
	kind := decode(b.types, r.next(), builtinIntegerType)
	if kind == nil {
		return 0, false
	}
	if width := kind.next() >> 2; width <= 8 {
		return int64(int8(r.byte())), r.err == nil
	}
	n := r.next()
	return int64(n>>1) ^ -int64(n&1), r.err == nil
}

// varints reads numbers of MLIR bytecode. After an error it returns zeros.
type varints struct {
	data []byte
	at   int
	err  error
}

func (r *varints) bytes(size uint64) []byte {
	if r.err == nil && size > uint64(len(r.data)-r.at) {
		r.err = fmt.Errorf("byte %d: it is cut off", r.at)
	}
	if r.err != nil {
		return nil
	}
	r.at += int(size)
	return r.data[r.at-int(size) : r.at]
}

func (r *varints) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// next reads a number: the position of the lowest bit that is set tells how many bytes follow the first.
func (r *varints) next() uint64 {
	first := r.byte()
	more := bits.TrailingZeros8(first) // 8 if no bit is set: the number takes eight bytes of its own
	var eight [8]byte
	copy(eight[1:], r.bytes(uint64(min(more, 7))))
	if more == 8 {
		eight[0] = 0
		return binary.LittleEndian.Uint64(append(eight[1:], r.byte()))
	}
	eight[0] = first
	return binary.LittleEndian.Uint64(eight[:]) >> (more + 1)
}

// count reads the number of entries that follow, each of which takes a byte at least.
func (r *varints) count() uint64 {
	n := r.next()
	if r.err == nil && n > uint64(len(r.data)-r.at) {
		r.err = fmt.Errorf("byte %d: %d entries in %d bytes", r.at, n, len(r.data)-r.at)
	}
	if r.err != nil {
		return 0
	}
	return n
}

// text skips a text that ends with a zero.
func (r *varints) text() {
	size := bytes.IndexByte(r.data[r.at:], 0)
	if size < 0 {
		size = len(r.data)
	}
	r.bytes(uint64(size) + 1)
}

// align skips bytes up to a multiple of size.
func (r *varints) align(size uint64) {
	if size == 0 || size > 1<<20 {
		r.bytes(1 << 62)
		return
	}
	r.bytes((size - uint64(r.at)%size) % size)
}
