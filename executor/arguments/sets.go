package arguments

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/executor/platform"
)

const (
	maxSets   = 1 << 20 // with more, the frames would take more memory than the arguments
	drawnSets = 8       // sets with contents of their own; the others get rotated copies of these
)

// Description is what a runtime says of the arguments of a function.
type Description struct {
	Of     string // the function, for messages
	Arrays []Array
	// Align is the alignment of each array in memory and of each set, a multiple of a cache line, so that no two arrays
	// share one.
	Align int64
	// OffLine says that arrays may begin behind a multiple of Align, as those of malloc do, if the launch places them so.
	OffLine bool
	// Header is how many bytes a set holds before its arrays, for what the runtime passes beside them. WriteHeader
	// writes them into set k, whose arrays have their places already.
	Header      int64
	WriteHeader func(s *Sets, k int)
}

// Request is what a launch asks of sets.
type Request struct {
	Least  int64 // bytes that all sets take together at least; 0 asks for one set
	Copies int64 // further sets that the caller will make later, which must fit into memory as well
	Seed   uint64
	Layout Placement
}

// Sets is memory for one or more sets of arguments, outside the Go heap. It holds set after set, and within a set the
// header, then array after array, with room between them that differs from launch to launch.
type Sets struct {
	description Description
	seed        uint64
	memory      []byte
	unmap       func() error
	offsets     []int64 // of each array within a set
	offLine     int64   // where arrays begin, in bytes behind a multiple of the alignment
	setBytes    int64   // of one set, without the room between its arrays
	stride      int64   // from one set to the next
	count       int
	huge        bool // in huge pages
	shared      bool // in memory that executors exchange
	// reordered are arrays that calls only read, and which have been put into other orders since: whether calls had changed
	// them before.
	reordered map[int]bool
}

// New allocates and fills sets. It returns a *MemoryError if they do not fit into memory.
func New(d Description, r Request) (*Sets, error) {
	s := &Sets{description: d, seed: r.Seed, count: 1, huge: r.Layout.HugePages,
		shared: r.Layout.Shared.Exchange != nil}
	if d.OffLine {
		s.offLine = r.Layout.offLine
	}
	if !s.place() {
		return nil, s.tooLarge("more than 64 bits can count")
	}
	if s.setBytes > 0 && r.Least > s.setBytes {
		s.count = int(min((r.Least-1)/s.setBytes+1, maxSets))
	}
	s.spread(r.Layout)
	need, ok := s.need(r.Copies)
	if !ok {
		return nil, s.tooLarge("more than 64 bits can count")
	}
	if need >= platform.AskedBytes {
		if available := platform.AvailableMemoryBytes(); available > 0 && need > available {
			return nil, s.tooLarge(fmt.Sprintf("%d MiB, but only %d MiB are available", need>>20, available>>20))
		}
	}
	if s.setBytes == 0 {
		return s, nil
	}
	var err error
	if s.memory, s.unmap, err = platform.AllocLayout(int(s.stride)*s.count+s.guard(), r.Layout.Layout); err != nil {
		return nil, &MemoryError{Err: fmt.Errorf("arguments of %s: %w; choose smaller sizes or a higher memory limit",
			d.Of, err)}
	}
	if err := s.fill(); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// place finds the places of the arrays within a set. Returns false if 64 bits cannot count them.
func (s *Sets) place() bool {
	s.setBytes = s.up(s.description.Header)
	for i := range s.description.Arrays {
		bytes := s.description.Arrays[i].Bytes
		if bytes > math.MaxInt64-s.description.Align-s.offLine-pageBytes*int64(i+2)-s.setBytes {
			return false
		}
		s.offsets = append(s.offsets, s.begin(i, s.setBytes))
		s.setBytes = s.up(s.offsets[i] + bytes)
	}
	s.stride = s.setBytes
	return true
}

// begin returns where array i begins if a multiple of the alignment is free.
func (s *Sets) begin(i int, at int64) int64 {
	if s.description.Arrays[i].Bytes > 0 {
		at += s.offLine
	}
	return at
}

// need returns the bytes of all sets, of further ones, of what is kept to restore arrays, and of frames.
func (s *Sets) need(copies int64) (bytes int64, ok bool) {
	frames := int64(s.count) * int64(unsafe.Sizeof(native.Frame{}))
	sets := int64(s.count) + copies
	if s.stride > (math.MaxInt64-frames)/(sets+1) {
		return 0, false
	}
	bytes = s.stride*sets + frames
	for _, i := range s.changed() {
		kept := s.description.Arrays[i].Bytes * int64(min(s.count, drawnSets))
		if kept > math.MaxInt64-bytes {
			return 0, false
		}
		bytes += kept
	}
	return bytes, bytes <= math.MaxInt
}

func (s *Sets) tooLarge(how string) error {
	return &MemoryError{Err: fmt.Errorf("the arguments of %s need %s; choose smaller sizes or a smaller total of "+
		"argument sets", s.description.Of, how)}
}

// fill writes the headers, draws the contents of the first sets and copies them to the others. Random contents are
// rotated by a different number of elements in each copy. So the sets differ, and filling runs at the speed of memory
// and not of a random generator.
func (s *Sets) fill() error {
	arrays := s.description.Arrays
	if slices.ContainsFunc(arrays, func(a Array) bool { return a.scattered() }) {
		clear(s.memory) // memory that executors share has other contents
	}
	for k := range s.count {
		if s.description.WriteHeader != nil {
			s.description.WriteHeader(s, k)
		}
		for i := range arrays {
			if k >= drawnSets {
				s.copyArray(k, i)
			} else if err := arrays[i].fill(s.Array(k, i), Seed(s.seed, arrays[i].Position, k, 0)); err != nil {
				return fmt.Errorf("%s: %w", arrays[i].Label, err)
			}
		}
	}
	return nil
}

// copyArray fills an array from one of the first sets.
func (s *Sets) copyArray(k, i int) {
	dst, src := s.Array(k, i), s.Array(k%drawnSets, i)
	n := copy(dst, src[s.rotation(k, i):])
	copy(dst[n:], src)
}

// rotation returns by how many bytes the contents of an array of set k are rotated, compared with one of the first sets.
func (s *Sets) rotation(k, i int) int64 {
	const step = 7919 // prime, so that small arrays get all their rotations
	a := &s.description.Arrays[i]
	if k < drawnSets || a.Bytes == 0 || !a.random() {
		return 0
	}
	size := a.Element.Size()
	return int64(k/drawnSets) * step % (a.Bytes / size) * size
}

// Count returns the number of sets.
func (s *Sets) Count() int { return s.count }

// SetBytes returns the size of one set, without the room between its arrays.
func (s *Sets) SetBytes() int64 { return s.setBytes }

// Bytes returns the size of all sets, without that room.
func (s *Sets) Bytes() int64 { return s.setBytes * int64(s.count) }

// Set returns the memory of set k.
func (s *Sets) Set(k int) []byte { return s.memory[int64(k)*s.stride:][:s.stride] }

// Array returns the memory of array i in set k.
func (s *Sets) Array(k, i int) []byte {
	return s.memory[int64(k)*s.stride+s.offsets[i]:][:s.description.Arrays[i].Bytes]
}

// Address returns the address of array i in set k.
func (s *Sets) Address(k, i int) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(s.Array(k, i))))
}

// Elements returns the elements of array i in set k, dense and in row-major order. They may be in the memory of the set.
func (s *Sets) Elements(k, i int) []byte {
	a := &s.description.Arrays[i]
	return a.Order.Dense(s.Array(k, i), a.Element)
}

// Frames returns the call frame that frame makes of each set, in the order in which calls use them; see Turns.
func (s *Sets) Frames(frame func(k int) (native.Frame, error)) ([]native.Frame, error) {
	frames := make([]native.Frame, s.count)
	for k := range frames {
		var err error
		if frames[k], err = frame(k); err != nil {
			return nil, err
		}
	}
	shuffle(frames, s.seed)
	return frames, nil
}

// Mover returns a function that fills other memory of the same place in the address space as the sets were filled at
// first. It returns nil if the sets are not in memory that executors exchange.
func (s *Sets) Mover(shared platform.Shared) func(to platform.Shared) error {
	if shared.Exchange == nil || s.memory == nil {
		return nil
	}
	return func(to platform.Shared) error {
		if err := to.Replace(s.memory); err != nil {
			return fmt.Errorf("arguments of %s: %w", s.description.Of, err)
		}
		if to.Part == platform.Nowhere {
			return nil
		}
		return s.fill()
	}
}

// Free releases the memory. Addresses in it must not be used any more.
func (s *Sets) Free() {
	if s.memory != nil {
		_ = s.unmap() // the mapping is our own
		s.memory = nil
	}
}
