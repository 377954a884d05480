package hat

import (
	"encoding/binary"
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
	lineBytes    = 64      // buffers start and end at a multiple of it, so that no two arguments share a cache line
	pointerBytes = 8       // of the slot that holds an array of the callee
	maxSets      = 1 << 20 // with more, the frames would take more memory than the arguments
	drawnSets    = 8       // sets with contents of their own; the others get rotated copies of these
)

// argumentSets is memory for one or more sets of the arguments of a binding, outside the Go heap. It holds set after
// set, and within a set argument after argument.
type argumentSets struct {
	*binding
	memory   []byte
	unmap    func() error
	offsets  []int64 // of each argument within a set; arguments by value take no space
	setBytes int64   // of one set
	count    int
}

// newSets allocates and fills enough sets to take least bytes together, at least one and at most maxSets. reserve is
// the number of further copies of a set that the caller will need. It returns a *executor.MemoryError if they do not
// fit.
func newSets(b *binding, least, reserve int64, seed uint64, layout platform.Layout) (*argumentSets, error) {
	s := &argumentSets{binding: b, offsets: make([]int64, len(b.arguments)), count: 1}
	for i := range b.arguments {
		s.offsets[i] = s.setBytes
		end, ok := add(s.setBytes, b.bufferBytes(i))
		if !ok || end > math.MaxInt64-lineBytes {
			return nil, b.tooLarge("more than 64 bits can count")
		}
		s.setBytes = (end + lineBytes - 1) / lineBytes * lineBytes
	}
	if s.setBytes > 0 && least > s.setBytes {
		s.count = int(min((least-1)/s.setBytes+1, maxSets))
	}
	total, ok := multiply(s.setBytes, int64(s.count))
	frames := int64(s.count) * int64(unsafe.Sizeof(native.Frame{}))
	extra, fits := multiply(reserve, s.setBytes)
	need, enough := add(total, frames+extra)
	if !ok || !fits || !enough || need > math.MaxInt {
		return nil, b.tooLarge("more than 64 bits can count")
	}
	if need >= platform.AskedBytes {
		if available := platform.AvailableMemoryBytes(); available > 0 && need > available {
			return nil, b.tooLarge(fmt.Sprintf("%d MiB, but only %d MiB are available", need>>20, available>>20))
		}
	}
	if total == 0 {
		return s, nil
	}
	var err error
	if s.memory, s.unmap, err = platform.AllocLayout(int(total), layout); err != nil {
		return nil, &executor.MemoryError{Err: fmt.Errorf("arguments of %s: %w; choose smaller sizes or a higher "+
			"memory limit", b.symbol, err)}
	}
	if err := s.fill(seed); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

func (b *binding) tooLarge(how string) error {
	return &executor.MemoryError{Err: fmt.Errorf("the arguments of %s need %s; choose smaller sizes or a smaller "+
		"total of argument sets", b.symbol, how)}
}

// bufferBytes returns the size of an argument in memory, before it is rounded to cache lines.
func (b *binding) bufferBytes(i int) int64 {
	switch a := &b.arguments[i]; {
	case a.ByValue:
		return 0
	case a.Callee:
		return pointerBytes
	default:
		return b.elements[i] * a.Element.Size()
	}
}

// set returns the memory of one set.
func (s *argumentSets) set(k int) []byte {
	return s.memory[int64(k)*s.setBytes : int64(k+1)*s.setBytes]
}

// buffer returns the memory of one argument in one set, without the padding to cache lines.
func (s *argumentSets) buffer(k, argument int) []byte {
	return s.set(k)[s.offsets[argument]:][:s.bufferBytes(argument)]
}

func (s *argumentSets) free() {
	if s.memory != nil {
		_ = s.unmap() // the mapping is our own
		s.memory = nil
	}
}

// move fills other memory of the same place in the address space.
func (s *argumentSets) move(to platform.Shared, seed uint64) error {
	if err := to.Replace(s.memory); err != nil {
		return fmt.Errorf("arguments of %s: %w", s.symbol, err)
	}
	return s.fill(seed)
}

// fill draws the contents of the first sets and copies them to the others. Random contents are rotated by a different
// number of elements in each copy. So the sets differ, and filling runs at the speed of memory and not of a random
// generator.
func (s *argumentSets) fill(seed uint64) error {
	if s.leavesGaps() {
		clear(s.memory) // shared memory has other contents
	}
	for k := range min(s.count, drawnSets) {
		for i := range s.arguments {
			if err := s.fillArgument(k, i, seed); err != nil {
				return fmt.Errorf("function %s: %s: %w", s.symbol, s.arguments[i].label(), err)
			}
		}
	}
	for k := drawnSets; k < s.count; k++ {
		copy(s.set(k), s.set(k%drawnSets))
		for i := range s.arguments {
			if s.contents[i].Fill == invocations.FillRandom && s.scalars[i] == nil && !s.arguments[i].Callee {
				rotate(s.buffer(k, i), s.buffer(k%drawnSets, i), s.arguments[i].Element.Size(), int64(k/drawnSets))
			}
		}
	}
	return nil
}

// leavesGaps reports whether filling leaves elements as they are.
func (s *argumentSets) leavesGaps() bool {
	for i := range s.arguments {
		if a := &s.arguments[i]; s.contents[i].Fill == invocations.FillFile && (a.Strides != nil || a.Offset != 0) {
			return true
		}
	}
	return false
}

// rotate copies src to dst, shifted by a number of elements that grows with turn.
func rotate(dst, src []byte, element, turn int64) {
	const step = 7919 // prime, so that small arrays get all their rotations
	shift := turn * step % (int64(len(src)) / element) * element
	n := copy(dst, src[shift:])
	copy(dst[n:], src[:shift])
}

// fillArgument writes the contents of one argument in set k. The slot of an array of the callee stays NULL.
func (s *argumentSets) fillArgument(k, i int, seed uint64) error {
	a, buffer := &s.arguments[i], s.buffer(k, i)
	switch {
	case a.ByValue || a.Callee:
		return nil
	case s.scalars[i] != nil:
		copy(buffer, s.scalars[i])
		return nil
	case s.contents[i].Fill == invocations.FillFile && (a.Strides != nil || a.Offset != 0): // see leavesGaps
		return s.scatter(buffer, i, seed)
	}
	return values.Fill(buffer, a.Element, s.contents[i], fillSeed(seed, i, k))
}

// scatter fills an argument through its layout. A file holds the logical elements in row-major order without padding.
func (s *argumentSets) scatter(buffer []byte, i int, seed uint64) error {
	a := &s.arguments[i]
	n, _ := shapeElements(a.Shape) // checked when the argument was interpreted
	size := a.Element.Size()
	if n > s.elements[i] {
		return fmt.Errorf("its elements overlap in memory (affine_map %v), so a file cannot fill it; choose other "+
			"contents", a.Strides)
	}
	dense := make([]byte, n*size)
	if err := values.Fill(dense, a.Element, s.contents[i], fillSeed(seed, i, 0)); err != nil {
		return err
	}
	walkElements(a.Shape, a.strides(), a.Offset, func(at int64) {
		copy(buffer[at*size:][:size], dense)
		dense = dense[size:]
	})
	return nil
}

// strides returns the affine map. It computes the map of a dense array, for which Strides is nil.
func (a *argument) strides() []int64 {
	if a.Strides == nil {
		return rowMajor(a.Shape)
	}
	return a.Strides
}

// fillSeed returns a seed of its own for every argument of every set.
func fillSeed(seed uint64, argument, set int) uint64 {
	return rand.NewPCG(seed, uint64(set)<<32|uint64(argument)).Uint64()
}

// frame returns the call frame of set k.
func (s *argumentSets) frame(k int) (native.Frame, error) {
	var f native.Frame
	for i := range s.arguments {
		a := &s.arguments[i]
		if !a.ByValue {
			f.Int(uint64(uintptr(unsafe.Pointer(&s.buffer(k, i)[0]))))
			continue
		}
		var word [8]byte
		copy(word[:], s.scalars[i])
		bits := binary.LittleEndian.Uint64(word[:])
		switch a.Element {
		case invocations.Float32:
			f.Float32(math.Float32frombits(uint32(bits)))
		case invocations.Float64:
			f.Float64(math.Float64frombits(bits))
		case invocations.Uint64: // beyond the range of integerOf
			f.Int(bits)
		default: // HAT's 16-bit floats are a typedef of uint16_t
			f.Int(uint64(integerOf(s.scalars[i], a.Element)))
		}
	}
	if err := f.Err(); err != nil {
		return f, fmt.Errorf("function %s: %w", s.symbol, err)
	}
	return f, nil
}

// frames returns the call frames of all sets in a seeded random order, which the prefetchers cannot follow. The first
// set stays first, because it is the one that is flushed and restored.
func (s *argumentSets) frames(seed uint64) ([]native.Frame, error) {
	frames := make([]native.Frame, s.count)
	for k := range frames {
		var err error
		if frames[k], err = s.frame(k); err != nil {
			return nil, err
		}
	}
	rest := frames[1:]
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return frames, nil
}
