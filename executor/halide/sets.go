package halide

import (
	"math"
	"unsafe"

	"zonemark/executor/arguments"
	"zonemark/executor/halide/metadata"
	"zonemark/executor/native"
	"zonemark/invocations"
)

const (
	// bufferAlignment is that of Halide's own allocations (halide_internal_malloc_alignment), and a multiple of a cache
	// line.
	bufferAlignment = 128
	pointerBytes    = 8
	scalarBytes     = 8
)

// argumentSets is memory for one or more sets of the arguments of a binding. The header of a set holds what a call
// takes: the pointers, then the structs of buffers and the scalars.
type argumentSets struct {
	*binding
	*arguments.Sets
	structs []int64 // offset in a set of each argument: of its value, or of its buffer with its dimensions behind
	query   bool    // buffers have no memory, as in a bounds query
}

// newSets allocates and fills sets of the arguments.
func newSets(b *binding, r arguments.Request) (*argumentSets, error) {
	s := &argumentSets{binding: b}
	return s, s.allocate(r)
}

// newQuery allocates the arguments of a bounds query.
func newQuery(b *binding) (*argumentSets, error) {
	s := &argumentSets{binding: b, query: true}
	return s, s.allocate(arguments.Request{})
}

func (s *argumentSets) allocate(r arguments.Request) (err error) {
	d := arguments.Description{Of: s.pipeline.Name, Align: bufferAlignment, Header: s.placeStructs()}
	d.WriteHeader = func(sets *arguments.Sets, k int) {
		s.Sets = sets
		s.writeHeader(k)
	}
	for i := range s.binding.arguments {
		a := &s.binding.arguments[i]
		array := arguments.Array{
			Label: "argument " + a.Name, Name: a.Name, Element: a.element, Contents: a.contents, Position: a.position,
			Usage: invocations.Input,
		}
		if a.buffer() && !s.query {
			a.describe(&array)
		}
		d.Arrays = append(d.Arrays, array)
	}
	s.Sets, err = arguments.New(d, r)
	return err
}

// describe says what a buffer takes in memory. Outputs are zero if nobody gives them contents.
func (a *boundArgument) describe(array *arguments.Array) {
	if a.isOutput() {
		array.Usage = invocations.Output
		if array.Contents.Fill == invocations.FillDefault {
			array.Contents.Fill = invocations.FillZeros
		}
	}
	elements, ok := a.elements()
	if array.Bytes = elements * a.element.Size(); !ok {
		array.Bytes = math.MaxInt64 // it is refused
	}
	if !a.planar() {
		array.Order = a.order()
	}
}

// placeStructs finds the places of the pointers and structs in a set, and returns the bytes that they take.
func (s *argumentSets) placeStructs() (header int64) {
	s.structs = make([]int64, len(s.binding.arguments))
	at := int64(len(s.binding.arguments)) * pointerBytes
	for i := range s.binding.arguments {
		a := &s.binding.arguments[i]
		s.structs[i] = at
		at += scalarBytes
		if a.buffer() {
			at += int64(unsafe.Sizeof(buffer{})) - scalarBytes + int64(len(a.dims))*int64(unsafe.Sizeof(dimension{}))
		}
	}
	return at
}

// writeHeader writes the pointers and structs of a set.
func (s *argumentSets) writeHeader(k int) {
	set := s.Set(k)
	address := func(offset int64) uintptr { return uintptr(unsafe.Pointer(&set[offset])) }
	pointers := unsafe.Slice((*uintptr)(unsafe.Pointer(&set[0])), len(s.binding.arguments))
	for i := range s.binding.arguments {
		a := &s.binding.arguments[i]
		pointers[i] = address(s.structs[i])
		if !a.buffer() {
			copy(set[s.structs[i]:], a.scalar[:])
			continue
		}
		b := s.buffer(k, i)
		*b = buffer{typ: a.Type, dimensions: int32(len(a.dims))}
		b.dim = address(s.structs[i]) + unsafe.Sizeof(buffer{})
		copy(s.dimensionsOf(k, i), a.dims)
		if !s.query {
			b.host = s.Address(k, i)
			b.flags = hostDirty
		}
	}
}

// buffer returns the struct of a buffer in one set.
func (s *argumentSets) buffer(k, i int) *buffer {
	return (*buffer)(unsafe.Pointer(&s.Set(k)[s.structs[i]]))
}

// dimensionsOf returns the dimensions of a buffer in one set, where the pipeline sees them.
func (s *argumentSets) dimensionsOf(k, i int) []dimension {
	n := len(s.binding.arguments[i].dims)
	if n == 0 {
		return nil
	}
	at := s.structs[i] + int64(unsafe.Sizeof(buffer{}))
	return unsafe.Slice((*dimension)(unsafe.Pointer(&s.Set(k)[at])), n)
}

// argv returns the address of the pointers of a set, which a pipeline takes.
func (s *argumentSets) argv(k int) uintptr { return uintptr(unsafe.Pointer(&s.Set(k)[0])) }

// outputs returns what a call wrote into the output buffers of the first set.
func (s *argumentSets) outputs() (list []arguments.Output) {
	for i := range s.binding.arguments {
		if a := &s.binding.arguments[i]; a.Kind == metadata.OutputBuffer {
			list = append(list, arguments.Output{
				Label: a.Name, Element: a.element, Shape: a.shape(), Data: s.Elements(0, i), Declared: true,
			})
		}
	}
	return list
}

// frames returns the call frames of native.LatchEntry, which calls the pipeline and keeps the result of a failed call
// in status.
func (s *argumentSets) frames(entry uintptr, status *uint64) ([]native.Frame, error) {
	return s.Frames(func(k int) (f native.Frame, err error) {
		for _, word := range []uintptr{entry, s.argv(k), 0, uintptr(unsafe.Pointer(status))} {
			f.Int(uint64(word))
		}
		return f, nil
	})
}
