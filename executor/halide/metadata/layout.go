package metadata

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"

	"zonemark/executor/elfimage"
)

// filterMetadata is halide_filter_metadata_t of Halide 14 to 21 (HalideRuntime.h), with pointers of 64 or 32 bits.
type filterMetadata[pointer uint64 | uint32] struct {
	version, numArguments   int32
	arguments, target, name pointer
}

// filterArgument is halide_filter_argument_t, likewise.
type filterArgument[pointer uint64 | uint32] struct {
	name             pointer
	kind, dimensions int32
	typ              Type
	scalarDefault    pointer    // to halide_scalar_value_t, or null
	_                [2]pointer // likewise: the least and the largest value
	scalarEstimate   pointer    // likewise
	// to two pointers for each dimension, to its minimum and to its extent, of which each may be null; or null
	bufferEstimates pointer
}

// layout holds the size of a pointer, and sizes and offsets in the two structs, in bytes.
type layout struct {
	pointer uint64

	metadata, version, count, arguments, target, name uint64

	argument, argumentName, kind, dimensions, typ, scalarDefault, scalarEstimate, bufferEstimates uint64
}

// layoutOf returns the layout with pointers of one size.
func layoutOf[pointer uint64 | uint32]() layout {
	var p pointer
	var m filterMetadata[pointer]
	var a filterArgument[pointer]
	return layout{
		pointer:  uint64(unsafe.Sizeof(p)),
		metadata: uint64(unsafe.Sizeof(m)), version: uint64(unsafe.Offsetof(m.version)),
		count: uint64(unsafe.Offsetof(m.numArguments)), arguments: uint64(unsafe.Offsetof(m.arguments)),
		target: uint64(unsafe.Offsetof(m.target)), name: uint64(unsafe.Offsetof(m.name)),
		argument: uint64(unsafe.Sizeof(a)), argumentName: uint64(unsafe.Offsetof(a.name)),
		kind: uint64(unsafe.Offsetof(a.kind)), dimensions: uint64(unsafe.Offsetof(a.dimensions)),
		typ: uint64(unsafe.Offsetof(a.typ)), scalarDefault: uint64(unsafe.Offsetof(a.scalarDefault)),
		scalarEstimate:  uint64(unsafe.Offsetof(a.scalarEstimate)),
		bufferEstimates: uint64(unsafe.Offsetof(a.bufferEstimates)),
	}
}

// These sizes and offsets are those of Halide's structs. A wrong one does not compile.
var (
	_ [32]struct{} = [unsafe.Sizeof(filterMetadata[uint64]{})]struct{}{}
	_ [64]struct{} = [unsafe.Sizeof(filterArgument[uint64]{})]struct{}{}
	_ [24]struct{} = [unsafe.Offsetof(filterMetadata[uint64]{}.name)]struct{}{}
	_ [56]struct{} = [unsafe.Offsetof(filterArgument[uint64]{}.bufferEstimates)]struct{}{}
	_ [20]struct{} = [unsafe.Sizeof(filterMetadata[uint32]{})]struct{}{}
	_ [36]struct{} = [unsafe.Sizeof(filterArgument[uint32]{})]struct{}{}
	_ [16]struct{} = [unsafe.Offsetof(filterMetadata[uint32]{}.name)]struct{}{}
	_ [32]struct{} = [unsafe.Offsetof(filterArgument[uint32]{}.bufferEstimates)]struct{}{}
)

// Limits of a description that makes sense.
const (
	newestVersion = 1
	maxArguments  = 1024
	// MaxDimensions is the largest number of dimensions of a buffer that is taken for one.
	MaxDimensions = 64
	scalarBytes   = 8 // of halide_scalar_value_t
)

// image is a file that holds pipelines.
type image struct {
	*elfimage.Image
	layout layout
}

func newImage(f *elf.File, data []byte) (*image, error) {
	m, err := elfimage.New(f, data)
	if err != nil {
		return nil, err
	}
	if m.PointerBytes == 4 {
		return &image{m, layoutOf[uint32]()}, nil
	}
	return &image{m, layoutOf[uint64]()}, nil
}

// pipeline reads the metadata of the pipeline with this name. Its function NAME_metadata returns a struct that has no
// symbol. It is found by its contents instead of by that function's code: it points to the pipeline's name.
func (m *image) pipeline(name string) (Pipeline, error) {
	nameAt := m.layout.name
	var failed error
	for _, at := range m.Pointers() {
		if at < nameAt || !m.isText(m.Pointer(at), name) {
			continue
		}
		p, err := m.metadata(at - nameAt)
		if err == nil {
			p.Name = name
			return p, nil
		}
		if failed == nil && m.looksLike(at-nameAt) {
			failed = err
		}
	}
	if failed != nil {
		return Pipeline{}, fmt.Errorf("the metadata of %s: %w; build it with Halide 14 to 21", name, failed)
	}
	return Pipeline{}, fmt.Errorf("it defines %s%s and no metadata with that name; build it with Halide 14 to 21",
		name, metadataSuffix)
}

// isText reports whether the C string at an address is a certain one.
func (m *image) isText(address uint64, want string) bool {
	b := m.Bytes(address, uint64(len(want))+1)
	return b != nil && string(b[:len(want)]) == want && b[len(want)] == 0
}

// looksLike reports whether the words at an address could be metadata: what else points to the name need not be.
func (m *image) looksLike(at uint64) bool {
	b := m.Bytes(at, m.layout.metadata)
	return b != nil && m.Pointer(at+m.layout.arguments) != 0 && m.Pointer(at+m.layout.target) != 0
}

// metadata reads the struct at an address.
func (m *image) metadata(at uint64) (Pipeline, error) {
	b := m.Bytes(at, m.layout.metadata)
	if b == nil {
		return Pipeline{}, fmt.Errorf("address %#x is not in the file", at)
	}
	version := int32(binary.LittleEndian.Uint32(b[m.layout.version:]))
	count := int32(binary.LittleEndian.Uint32(b[m.layout.count:]))
	if version < 0 || version > newestVersion {
		return Pipeline{}, fmt.Errorf("version %d, and only %d is known", version, newestVersion)
	}
	if count < 1 || count > maxArguments {
		return Pipeline{}, fmt.Errorf("%d arguments", count)
	}
	target, found := m.Text(m.Pointer(at + m.layout.target))
	if !found || !strings.Contains(target, "-") {
		return Pipeline{}, fmt.Errorf("the target %q is none", target)
	}
	p := Pipeline{Target: target}
	first := m.Pointer(at + m.layout.arguments)
	for i := range uint64(count) {
		a, err := m.argument(first + i*m.layout.argument)
		if err != nil {
			return Pipeline{}, fmt.Errorf("argument %d: %w", i, err)
		}
		p.Arguments = append(p.Arguments, a)
	}
	return p, nil
}

// argument reads the struct at an address.
func (m *image) argument(at uint64) (Argument, error) {
	b := m.Bytes(at, m.layout.argument)
	if b == nil {
		return Argument{}, fmt.Errorf("address %#x is not in the file", at)
	}
	name, found := m.Text(m.Pointer(at + m.layout.argumentName))
	if !found {
		return Argument{}, fmt.Errorf("the name is missing")
	}
	a := Argument{
		Name:       name,
		Kind:       Kind(binary.LittleEndian.Uint32(b[m.layout.kind:])),
		Dimensions: int(int32(binary.LittleEndian.Uint32(b[m.layout.dimensions:]))),
	}
	t := b[m.layout.typ:]
	a.Type = Type{Code: Code(t[0]), Bits: t[1], Lanes: binary.LittleEndian.Uint16(t[2:])}
	if a.Kind < Scalar || a.Kind > OutputBuffer || a.Dimensions < 0 || a.Dimensions > MaxDimensions {
		return a, fmt.Errorf("%q is of kind %d and has %d dimensions", name, a.Kind, a.Dimensions)
	}
	value := func(offset uint64) []byte {
		if p := m.Pointer(at + offset); p != 0 {
			return m.Bytes(p, scalarBytes)
		}
		return nil
	}
	if a.Kind == Scalar {
		a.Default = value(m.layout.scalarDefault)
		a.Estimate = value(m.layout.scalarEstimate)
		return a, nil
	}
	if p := m.Pointer(at + m.layout.bufferEstimates); p != 0 {
		a.Estimates = m.estimates(p, a.Dimensions)
	}
	return a, nil
}

// estimates reads the estimates of a buffer. It returns nil if none of its dimensions has one.
func (m *image) estimates(at uint64, dimensions int) []Range {
	list, known := make([]Range, dimensions), false
	number := func(at uint64) *int64 {
		if p := m.Pointer(at); p != 0 {
			if b := m.Bytes(p, scalarBytes); b != nil {
				n := int64(binary.LittleEndian.Uint64(b))
				known = true
				return &n
			}
		}
		return nil
	}
	for d := range list {
		list[d].Min = number(at + uint64(d)*2*m.layout.pointer)
		list[d].Extent = number(at + uint64(d)*2*m.layout.pointer + m.layout.pointer)
	}
	if !known {
		return nil
	}
	return list
}
