package arguments

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"

	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/invocations"
)

// Changed is what calls change of their arguments and read again, with the contents that it had at first: what can be
// restored. What Reordered returns is also what they read of random contents.
type Changed struct {
	sets   *Sets
	arrays []int  // of a set
	random []bool // whether a ring writes each of them in another order each time; nil: none
	// first are the contents at first: of the first sets, array by array. Those of the other sets follow from them.
	first [][]byte
	frame func(address func(i int) uintptr) (native.Frame, error)
}

// Changed keeps what the arrays hold that calls change and read again. It is to be called before the first call. frame
// makes the frame of a call whose arrays have these addresses; it may be nil if no array is changed.
func (s *Sets) Changed(frame func(address func(i int) uintptr) (native.Frame, error)) *Changed {
	c := &Changed{sets: s, arrays: s.changed(), frame: frame}
	for k := range min(s.count, drawnSets) {
		for _, i := range c.arrays {
			c.first = append(c.first, slices.Clone(s.Array(k, i)))
		}
	}
	return c
}

// changed returns the arrays that calls change and read again.
func (s *Sets) changed() (list []int) {
	for i := range s.description.Arrays {
		if a := &s.description.Arrays[i]; a.Usage == invocations.InputOutput && a.Bytes > 0 {
			list = append(list, i)
		}
	}
	return list
}

// Bytes returns the size of what is restored of one set; 0 if calls change nothing that they read again.
func (c *Changed) Bytes() (bytes int64) {
	for _, i := range c.arrays {
		bytes += c.sets.description.Arrays[i].Bytes
	}
	return bytes
}

// RingBytes returns the memory that a ring of so many sets takes, and what Keep keeps.
func (c *Changed) RingBytes(sets int) int64 {
	count, each := c.sizeOfOrders()
	return int64(sets+1)*c.Bytes() + int64(count)*each
}

// SetBytes returns the size of one set.
func (c *Changed) SetBytes() int64 { return c.sets.SetBytes() }

// Reset returns a function that restores the first set. It returns nil if there is nothing to restore, and if there are
// several sets, each of which is visited rarely.
func (c *Changed) Reset() func() {
	if len(c.arrays) == 0 || c.sets.count > 1 {
		return nil
	}
	return func() {
		for a, i := range c.arrays {
			copy(c.sets.Array(0, i), c.first[a])
		}
	}
}

// Ring is argument sets that calls use one after the other, and whose contents can be restored before a batch. It is
// either all sets of a mode that rotates them, or the first set with copies of the arrays that are restored: all other
// arrays are those of the first set then.
type Ring struct {
	*Changed
	count  int
	memory []byte
	unmap  func() error
	places [][]int64 // of the arrays in memory, for each copy
	order  []int     // in which calls use the sets, if they are those of a mode; else nil
	used   int       // sets that calls have used since they were restored, if they are those of a mode
	kept   [][]byte  // what the first set held when Keep was called
	// source is what Ready writes in place of the contents at first; nil: those. It is the same memory for all contents:
	// which lines of the caches a source takes depends on where it lies.
	source   [][]byte
	contents []byte  // the memory of both
	orders   *orders // of random contents; nil: they stay in their order
}

// Ring returns a ring over all sets if there are several, else one of this number; see Copies. called says that calls
// have used the sets already; else at most the first one was used.
func (c *Changed) Ring(sets int, called bool) (*Ring, error) {
	if c.sets.count > 1 {
		return c.ringOfAll(called), nil
	}
	return c.Copies(sets)
}

func (c *Changed) ringOfAll(called bool) *Ring {
	r := &Ring{Changed: c, count: c.sets.count, order: make([]int, c.sets.count)}
	for k := range r.order {
		r.order[k] = k
	}
	shuffle(r.order, c.sets.seed)
	if r.write(0); called {
		r.used = r.count
	}
	return r
}

// Copies returns a ring of this number of sets, at least one: the first set and copies of it, whatever sets there are. It
// returns a *MemoryError if there is no memory for the copies.
func (c *Changed) Copies(sets int) (*Ring, error) {
	r := &Ring{Changed: c, count: sets}
	what := fmt.Sprintf("%d copies of what %s changes", sets-1, c.sets.description.Of)
	if least := int64(sets-1) * c.Bytes(); least >= platform.AskedBytes {
		if err := CheckRoom(what, least); err != nil {
			return nil, err
		}
	}
	align, at := c.sets.description.Align, int64(0)
	for range sets - 1 {
		places := make([]int64, len(c.arrays))
		for a, i := range c.arrays {
			at = (at+align-1)/align*align + c.sets.offLine
			bytes := c.sets.description.Arrays[i].Bytes
			if bytes >= pageBytes { // it lies to other arrays as that of the first set does
				offset := int64(c.sets.Address(0, i) % pageBytes)
				at += (offset - at%pageBytes + pageBytes) % pageBytes
			}
			places[a] = at
			at += bytes
		}
		r.places = append(r.places, places)
	}
	var err error
	if r.orders, err = c.newOrders(); err != nil {
		return nil, err
	}
	if at == 0 {
		return r, nil
	}
	layout := platform.Layout{HugePages: c.sets.huge}
	if r.memory, r.unmap, err = platform.AllocLayout(int(at), layout); err != nil {
		r.Free()
		return nil, &MemoryError{Err: fmt.Errorf("%s: %w", what, err)}
	}
	return r, nil
}

// Count returns the number of sets of the ring.
func (r *Ring) Count() int { return r.count }

// Fresh says what calls find in the sets; nothing if there is no ring.
func (r *Ring) Fresh() (f invocations.Fresh) {
	if r == nil {
		return f
	}
	return invocations.Fresh{Restored: len(r.sets.changed()) > 0, Reordered: r.orders != nil}
}

// CopyBytes returns the size of the ring's own memory.
func (r *Ring) CopyBytes() int64 { return int64(len(r.memory)) }

// Frames returns the call frames of the ring in the order of use.
func (r *Ring) Frames() ([]native.Frame, error) {
	frames := make([]native.Frame, r.count)
	for k := range frames {
		var err error
		frames[k], err = r.frame(func(i int) uintptr {
			if a := slices.Index(r.arrays, i); a >= 0 {
				return uintptr(unsafe.Pointer(unsafe.SliceData(r.array(k, a))))
			}
			return r.sets.Address(r.set(k), i)
		})
		if err != nil {
			return nil, err
		}
	}
	return frames, nil
}

// set returns the set whose arrays the ring's set k has, as far as they are not copied.
func (r *Ring) set(k int) int {
	if r.order == nil {
		return 0
	}
	return r.order[k]
}

// array returns the memory of the changed array a in the ring's set k.
func (r *Ring) array(k, a int) []byte {
	if k == 0 || r.order != nil {
		return r.sets.Array(r.set(k), r.arrays[a])
	}
	bytes := r.sets.description.Arrays[r.arrays[a]].Bytes
	return r.memory[r.places[k-1][a]:][:bytes]
}

// Ready has the next calls, at most Count of them, find restored sets. It reports whether they must begin with the
// first set. The sets of a mode that rotates them are restored when all of them are used, in the order of use: calls
// then find the caches as they do without restoring.
func (r *Ring) Ready(calls int) (rewind bool) {
	if r.order == nil {
		for k := range calls {
			r.write(k)
		}
		return true
	}
	if r.used+calls <= r.count {
		r.used += calls
		return false
	}
	for k := range r.count {
		r.write(k)
	}
	r.used = calls
	return true
}

// Keep keeps what the first set holds: what calls have left of it. It reports whether that differs from what the set held
// at first, and whether it is what was kept before. Returns a *MemoryError if there is no room for it.
func (r *Ring) Keep() (differs, same bool, err error) {
	size := r.Bytes()
	if r.contents == nil {
		if 2*size >= platform.AskedBytes {
			if err := CheckRoom("what "+r.sets.description.Of+" has changed", 2*size); err != nil {
				return false, false, err
			}
		}
		memory, err := platform.Alloc(int(2 * size)) // a heap that outgrows its limit would end the process
		if err != nil {
			return false, false, &MemoryError{Err: fmt.Errorf("what %s has changed: %w", r.sets.description.Of, err)}
		}
		r.contents = memory
	}
	same = r.kept != nil
	r.kept, r.source = nil, nil
	memory := r.contents
	for a := range r.arrays {
		worn := r.array(0, a)
		r.kept, r.source = append(r.kept, memory[:len(worn)]), append(r.source, memory[len(worn):][:len(worn)])
		memory = memory[2*len(worn):]
		same = same && bytes.Equal(worn, r.kept[a])
		copy(r.kept[a], worn)
		differs = differs || !bytes.Equal(worn, r.first[a])
	}
	return differs, same, nil
}

// UseWorn has Ready write what Keep has kept, or what the arrays held at first, from the same memory. It is of use for
// copies only, after Keep. If a ring has orders, it has Ready write the one at first, or others.
func (r *Ring) UseWorn(worn bool) {
	if r.orders != nil {
		r.orders.looks, r.orders.same = true, worn
		return
	}
	for a := range r.arrays {
		if worn {
			copyThroughCaches(r.source[a], r.kept[a])
		} else {
			copyThroughCaches(r.source[a], r.first[a])
		}
	}
}

// write writes the contents of the ring's set k.
func (r *Ring) write(k int) {
	set := r.set(k)
	if r.orders != nil {
		r.orders.write(r, k)
	}
	for a, i := range r.arrays {
		if r.reorders(a) {
			continue
		}
		src := r.first[set%drawnSets*len(r.arrays)+a]
		if r.source != nil {
			src = r.source[a]
		}
		dst, n := r.array(k, a), r.sets.rotation(set, i)
		copyThroughCaches(dst, src[n:])
		copyThroughCaches(dst[int64(len(src))-n:], src[:n])
	}
}

// copyThroughCaches copies in pieces: a copy of a megabyte or more goes past the caches.
func copyThroughCaches(dst, src []byte) {
	const piece = 64 << 10
	for len(src) > 0 {
		n := copy(dst, src[:min(piece, len(src))])
		dst, src = dst[n:], src[n:]
	}
}

// Free releases the ring's own memory. No call may use it any more.
func (r *Ring) Free() {
	if r.orders != nil {
		r.orders.free(r)
		r.orders = nil
	}
	if r.memory != nil {
		_ = r.unmap() // the mapping is our own
		r.memory = nil
	}
	_ = platform.Free(r.contents) // the same
	r.kept, r.source, r.contents = nil, nil, nil
}
