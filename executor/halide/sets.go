package halide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/values"
	"zonemark/invocations"
)

const (
	// bufferAlignment is that of Halide's own allocations (halide_internal_malloc_alignment), and a multiple of a cache
	// line.
	bufferAlignment = 128
	pointerBytes    = 8
	scalarBytes     = 8
	statusBytes     = bufferAlignment // before the sets: the word that native.LatchEntry writes
	maxSets         = 1 << 16
	drawnSets       = 8 // sets with contents of their own; the others are copies of these
)

// argumentSets is memory for one or more sets of the arguments of a binding, outside the Go heap. A set holds what a
// call takes: the pointers, then the structs of buffers and the scalars, then the elements of buffers.
type argumentSets struct {
	*binding
	memory   []byte
	unmap    func() error
	structs  []int64 // offset in a set of each argument: of its value, or of its buffer with its dimensions behind
	data     []int64 // offset in a set of the elements of each buffer
	sizes    []int64 // bytes of these elements
	setBytes int64
	count    int
}

// newSets allocates and fills enough sets to take least bytes together, at least one. reserve is the number of further
// sets that the caller will need. It returns an *executor.MemoryError if they do not fit.
func newSets(b *binding, least, reserve int64, seed uint64, layout platform.Layout) (*argumentSets, error) {
	s, err := measureSets(b)
	if err != nil {
		return nil, err
	}
	if least > s.setBytes {
		s.count = int(min((least-1)/s.setBytes+1, maxSets))
	}
	if s.setBytes > (math.MaxInt64-statusBytes)/(int64(s.count)+reserve) {
		return nil, b.tooLarge("more than 64 bits can count")
	}
	total := statusBytes + s.setBytes*int64(s.count)
	if available, need := platform.AvailableMemoryBytes(), total+reserve*s.setBytes; available > 0 && need > available {
		return nil, b.tooLarge(fmt.Sprintf("%d MiB, but only %d MiB are available", need>>20, available>>20))
	}
	if s.memory, s.unmap, err = platform.AllocLayout(int(total), layout); err != nil {
		return nil, &executor.MemoryError{Err: fmt.Errorf("arguments of %s: %w; choose smaller sizes or a higher "+
			"memory limit", b.pipeline.Name, err)}
	}
	if err := s.fillAll(seed); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

// fillAll writes all sets.
func (s *argumentSets) fillAll(seed uint64) error {
	clear(s.memory) // shared memory has other contents
	for k := range s.count {
		s.describe(k, true)
		if err := s.fill(k, seed); err != nil {
			return err
		}
	}
	return nil
}

// move fills other memory of the same place in the address space.
func (s *argumentSets) move(to platform.Shared, seed uint64) error {
	if err := to.Replace(s.memory); err != nil {
		return fmt.Errorf("arguments of %s: %w", s.pipeline.Name, err)
	}
	return s.fillAll(seed)
}

// measureSets finds the places of everything in a set.
func measureSets(b *binding) (*argumentSets, error) {
	s := placeStructs(b)
	at := s.setBytes
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.buffer() {
			continue
		}
		elements, ok := a.elements()
		if s.sizes[i] = elements * a.element.Size(); !ok || s.sizes[i] > math.MaxInt64/2-at {
			return nil, b.tooLarge("more than 64 bits can count")
		}
		s.data[i] = at
		at = aligned(at + s.sizes[i])
	}
	s.setBytes = at
	return s, nil
}

// placeStructs finds the places of the pointers and structs in a set without the elements of buffers.
func placeStructs(b *binding) *argumentSets {
	n := len(b.arguments)
	s := &argumentSets{
		binding: b, structs: make([]int64, n), data: make([]int64, n), sizes: make([]int64, n), count: 1,
	}
	at := int64(n) * pointerBytes
	for i := range b.arguments {
		s.structs[i] = at
		at += scalarBytes
		if b.arguments[i].buffer() {
			at += int64(unsafe.Sizeof(buffer{})) - scalarBytes +
				int64(len(b.arguments[i].dims))*int64(unsafe.Sizeof(dimension{}))
		}
	}
	s.setBytes = aligned(at)
	return s
}

func aligned(n int64) int64 { return (n + bufferAlignment - 1) / bufferAlignment * bufferAlignment }

func (b *binding) tooLarge(how string) error {
	return &executor.MemoryError{Err: fmt.Errorf("the arguments of %s need %s; choose smaller sizes or a smaller "+
		"total of argument sets", b.pipeline.Name, how)}
}

// set returns the memory of one set.
func (s *argumentSets) set(k int) []byte {
	return s.memory[statusBytes+int64(k)*s.setBytes:][:s.setBytes]
}

// elementsOf returns the elements of a buffer in one set, with what lies between them.
func (s *argumentSets) elementsOf(k, i int) []byte { return s.set(k)[s.data[i]:][:s.sizes[i]] }

// status returns the word in which the result of a failed call is kept.
func (s *argumentSets) status() *uint64 { return (*uint64)(unsafe.Pointer(&s.memory[0])) }

func (s *argumentSets) free() {
	if s.memory != nil {
		_ = s.unmap() // the mapping is our own
		s.memory = nil
	}
}

// describe writes the pointers and structs of a set. Without memory, buffers have none, as in a bounds query.
func (s *argumentSets) describe(k int, memory bool) {
	set := s.set(k)
	address := func(offset int64) uintptr { return uintptr(unsafe.Pointer(&set[offset])) }
	pointers := unsafe.Slice((*uintptr)(unsafe.Pointer(&set[0])), len(s.arguments))
	for i := range s.arguments {
		a := &s.arguments[i]
		pointers[i] = address(s.structs[i])
		if !a.buffer() {
			copy(set[s.structs[i]:], a.scalar[:])
			continue
		}
		b := s.buffer(k, i)
		*b = buffer{typ: a.Type, dimensions: int32(len(a.dims))}
		b.dim = address(s.structs[i]) + unsafe.Sizeof(buffer{})
		copy(s.dimensionsOf(k, i), a.dims)
		if memory {
			b.host = address(s.data[i])
			b.flags = hostDirty
		}
	}
}

// buffer returns the struct of a buffer in one set.
func (s *argumentSets) buffer(k, i int) *buffer {
	return (*buffer)(unsafe.Pointer(&s.set(k)[s.structs[i]]))
}

// dimensionsOf returns the dimensions of a buffer in one set, where the pipeline sees them.
func (s *argumentSets) dimensionsOf(k, i int) []dimension {
	n := len(s.arguments[i].dims)
	if n == 0 {
		return nil
	}
	at := s.structs[i] + int64(unsafe.Sizeof(buffer{}))
	return unsafe.Slice((*dimension)(unsafe.Pointer(&s.set(k)[at])), n)
}

// argv returns the address of the pointers of a set, which a pipeline takes.
func (s *argumentSets) argv(k int) uintptr { return uintptr(unsafe.Pointer(&s.set(k)[0])) }

// fill writes the contents of the buffers of a set. The first sets have contents of their own, the others copies:
// filling then runs at the speed of memory.
func (s *argumentSets) fill(k int, seed uint64) error {
	for i := range s.arguments {
		a := &s.arguments[i]
		if !a.buffer() {
			continue
		}
		if k >= drawnSets {
			copy(s.elementsOf(k, i), s.elementsOf(k%drawnSets, i))
			continue
		}
		if err := s.fillBuffer(k, i, fillSeed(seed, a.position, k)); err != nil {
			return fmt.Errorf("argument %s: %w", a.Name, err)
		}
	}
	return nil
}

// fillBuffer fills a buffer. What is given element by element is in the order of zonemark's shapes, whose last
// dimension is the innermost.
func (s *argumentSets) fillBuffer(k, i int, seed uint64) error {
	a := &s.arguments[i]
	elements := s.elementsOf(k, i)
	switch a.contents.Fill {
	case invocations.FillDefault:
		if a.isOutput() {
			return nil // zeros, as the memory came
		}
	case invocations.FillFile, invocations.FillList:
		if a.planar() {
			break
		}
		dense := make([]byte, a.logicalBytes())
		if err := values.Fill(dense, a.element, a.contents, seed); err != nil {
			return err
		}
		size := a.element.Size()
		a.walk(func(at int64) {
			copy(elements[at*size:][:size], dense)
			dense = dense[size:]
		})
		return nil
	}
	return values.Fill(elements, a.element, a.contents, seed)
}

// dense returns the elements of a buffer of the first set without gaps, the last dimension of its shape innermost. The
// result may share memory with the set.
func (s *argumentSets) dense(i int) []byte {
	a := &s.arguments[i]
	if a.planar() {
		return s.elementsOf(0, i)
	}
	size := a.element.Size()
	dense := make([]byte, 0, a.logicalBytes())
	elements := s.elementsOf(0, i)
	a.walk(func(at int64) { dense = append(dense, elements[at*size:][:size]...) })
	return dense
}

// fillSeed returns a seed of its own for every argument of every set.
func fillSeed(seed uint64, argument, set int) uint64 {
	return rand.NewPCG(seed, uint64(set)<<32|uint64(argument)).Uint64()
}

// frames returns the call frames of all sets in a seeded random order, which the prefetchers cannot follow. The first
// set stays first, because it is the one that is flushed.
func (s *argumentSets) frames(entry uintptr, seed uint64) []native.Frame {
	frames := make([]native.Frame, s.count)
	for k := range frames {
		for _, word := range []uintptr{entry, s.argv(k), 0, uintptr(unsafe.Pointer(s.status()))} {
			frames[k].Int(uint64(word))
		}
	}
	rest := frames[1:]
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return frames
}
