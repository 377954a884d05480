package arguments

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"zonemark/executor/platform"
	"zonemark/invocations"
)

const (
	// manyElements is how many elements all orders of contents have together. Of an eighth as many, an AMD Zen 4 knew
	// some branches again: an insertion sort took 2 % less, of half as many 0.3 %.
	manyElements = 1 << 19
	mostOrders   = 1 << 16
)

// Reordered returns what calls change and all random contents that they read. A ring of it writes the random ones in
// another order each time. It returns nil if nothing is random, or if there are several sets, whose contents differ anyway.
func (c *Changed) Reordered() (*Changed, error) {
	if c == nil || c.frame == nil || c.sets.count > 1 {
		return nil, nil
	}
	r := &Changed{sets: c.sets, frame: c.frame}
	for i := range c.sets.description.Arrays {
		a := &c.sets.description.Arrays[i]
		at, random := slices.Index(c.arrays, i), a.random() && a.Usage != invocations.Output && a.Bytes > a.Element.Size()
		switch {
		case at >= 0:
			r.first = append(r.first, c.first[at])
		case random:
			first, err := Bytes("a copy of what "+c.sets.description.Of+" reads", a.Bytes)
			if err == nil {
				err = a.fill(first, Seed(c.sets.seed, a.Position, 0, 0))
			}
			if err != nil {
				return nil, err
			}
			r.first = append(r.first, first)
			c.sets.foundChanged(i, !bytes.Equal(first, c.sets.Array(0, i)))
		default:
			continue
		}
		r.arrays, r.random = append(r.arrays, i), append(r.random, random)
	}
	if !slices.Contains(r.random, true) {
		return nil, nil
	}
	return r, nil
}

// orders are the random contents of a set in many orders, each made when it is first used. All have the same elements:
// other ones, such as a divisor of 0, might be more than the function can do with.
type orders struct {
	memory []byte // order after order
	each   int64  // bytes of one
	count  int
	made   int
	next   int
	random *rand.Rand
	held   [][]byte // what the first set held before it was written; nil for what is not random

	// looks has each set be written twice, once as at first and once in another order, so that both cost the same. same
	// says that what was there at first is written last.
	looks, same bool
}

// sizeOfOrders returns how many orders of random contents a ring has, and the bytes of one; 0 if nothing is random.
func (c *Changed) sizeOfOrders() (count int, each int64) {
	elements := int64(0)
	for a, i := range c.arrays {
		if c.reorders(a) {
			array := &c.sets.description.Arrays[i]
			each += padded(array.Bytes)
			elements += array.Bytes / array.Element.Size()
		}
	}
	if each > 0 {
		count = int(min(mostOrders, max(2, manyElements/elements)))
	}
	return count, each
}

// newOrders returns the orders of what a ring writes; nil if it writes no random contents.
func (c *Changed) newOrders() (*orders, error) {
	o := &orders{random: rand.New(rand.NewPCG(c.sets.seed, 1))}
	if o.count, o.each = c.sizeOfOrders(); o.count == 0 {
		return nil, nil
	}
	for a, i := range c.arrays {
		var held []byte
		if c.reorders(a) {
			held = bytes.Clone(c.sets.Array(0, i))
		}
		o.held = append(o.held, held)
	}
	var err error
	if o.memory, err = platform.Alloc(int(o.each) * o.count); err != nil {
		return nil, &MemoryError{Err: fmt.Errorf("%d orders of what %s reads: %w", o.count, c.sets.description.Of, err)}
	}
	return o, nil
}

// padded returns what an array takes in an order, so that the next one is aligned for elements of every type.
func padded(bytes int64) int64 { return (bytes + 15) &^ 15 }

// reorders reports whether array a has random contents that are put into other orders.
func (c *Changed) reorders(a int) bool { return c.random != nil && c.random[a] }

// take returns the next order of what a ring writes.
func (o *orders) take(c *Changed) []byte {
	memory := o.memory[int64(o.next)*o.each:][:o.each]
	if o.next == o.made {
		rest := memory
		for a, i := range c.arrays {
			if c.reorders(a) {
				n := copy(rest, c.first[a])
				o.shuffle(rest[:n], c.sets.description.Arrays[i].Element.Size())
				rest = rest[padded(int64(n)):]
			}
		}
		o.made++
	}
	o.next = (o.next + 1) % o.count
	return memory
}

// shuffle puts elements of so many bytes into a random order.
func (o *orders) shuffle(memory []byte, size int64) {
	switch size {
	case 1:
		shuffleOf[uint8](o.random, memory)
	case 2:
		shuffleOf[uint16](o.random, memory)
	case 4:
		shuffleOf[uint32](o.random, memory)
	case 8:
		shuffleOf[uint64](o.random, memory)
	case 16:
		shuffleOf[[2]uint64](o.random, memory)
	}
}

// shuffleOf puts the elements of memory that is aligned for them into a random order.
func shuffleOf[T any](random *rand.Rand, memory []byte) {
	shuffleAll(random, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(*new(T)))))
}

// write writes the next order, of the arrays that have one, to set k of a ring.
func (o *orders) write(r *Ring, k int) {
	rest := o.take(r.Changed)
	for a := range r.arrays {
		if !r.reorders(a) {
			continue
		}
		dst := r.array(k, a)
		before, last := r.first[a], rest[:len(dst)]
		rest = rest[padded(int64(len(dst))):]
		if o.same {
			before, last = last, before
		}
		if o.looks {
			copyThroughCaches(dst, before)
		}
		copyThroughCaches(dst, last)
	}
}

// free releases the orders, and gives the first set back what it held.
func (o *orders) free(r *Ring) {
	for a, held := range o.held {
		copy(r.array(0, a), held)
	}
	_ = platform.Free(o.memory) // the mapping is our own
}
